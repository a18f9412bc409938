// Draws the plots of report_plots.py in the colours of the reader's light or dark theme.
"use strict";

const { widest, sections } = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const markers = ["circle", "rectRot", "triangle", "rect", "star", "crossRot"];
const palettes = {
  light: [
    "#1664c0", "#c2500a", "#12805c", "#a3297a", "#7a5cc7", "#8a6d00", "#0a7f96", "#b3261e", "#5b6675", "#4b7a0a",
    "#7a4a2a", "#d1477f", "#3a3f8f",
  ],
  dark: [
    "#6fb1ff", "#ff9a5c", "#4fd1a1", "#f48fcf", "#b8a2ff", "#e6c84f", "#5fd3e6", "#ff8a80", "#aeb8c4", "#a9dc5e",
    "#d3a47c", "#ff6fa5", "#9aa2ff",
  ],
};
// A name of a kind - a library, a scene - has one colour and one marker all over the page.
const places = {};
function place_of(kind, name) {
  const known = (places[kind] ??= kind === "answerer" ? [`broadside ${widest}`] : []);
  if (!known.includes(name)) known.push(name);
  return known.indexOf(name);
}
// Ours is the first among the contenders, and has its colour for itself.
const is_ours = (plot, place) => plot.names === "answerer" && place === 0;
function colour_at(place) {
  const [first, ...others] = palettes[dark.matches ? "dark" : "light"];
  return place === 0 ? first : others[(place - 1) % others.length];
}
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Chart.js ends a logarithmic axis where the data ends, in the middle of a marker.
function room_around(plot, axis) {
  const values = plot.series.flatMap((series) => series.points.map((at) => at[axis]));
  return { min: Math.min(...values, axis === "x" ? 1 : Infinity) / 1.3, max: Math.max(...values) * 1.3 };
}

const number = (value) => Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });
function time_text(nanoseconds) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (nanoseconds >= size) return `${number(nanoseconds / size)} ${unit}`;
  }
  return `${number(nanoseconds)} ns`;
}
function count_text(count) {
  if (count >= 1e6) return `${number(count / 1e6)}M`;
  return count >= 1e3 ? `${number(count / 1e3)}k` : number(count);
}

// Powers of ten, and labels between them only if the axis has room for them.
function log_tick(text, decades) {
  return function (value) {
    const exponent = Math.floor(Math.log10(value) + 1e-9);
    const digit = Number((value / 10 ** exponent).toPrecision(6));
    const is_short = Math.log10(this.max / this.min) < decades;
    return digit === 1 || (is_short && (digit === 2 || digit === 5)) ? text(value) : "";
  };
}

function value_text(plot, value) {
  if (plot.kind === "lines") return time_text(value);
  return plot.kind === "stack" ? `${number(value)} ns` : `${number(value)} times`;
}

function tooltip_label(plot, is_value_x) {
  return (item) => {
    const raw = item.raw;
    const value = value_text(plot, is_value_x ? raw.x : raw.y);
    const spread = raw.spread === null ? "" : ` (repetitions differ by ${number(100 * raw.spread)} %)`;
    return `${item.dataset.label}: ${value}${spread}`;
  };
}

const is_bar = (plot) => plot.kind === "bars" || plot.kind === "stack";

const styles = {
  lines: { borderWidth: 2, pointRadius: 3.5, tension: 0 },
  dots: { borderWidth: 1.5, pointRadius: 6, showLine: false },
  bars: { barPercentage: 0.95, categoryPercentage: 0.8 },
  stack: {},
};

function datasets_of(plot) {
  return plot.series.map((series) => {
    const place = place_of(plot.names, series.name);
    const colour = colour_at(place);
    return {
      label: series.name, data: series.points, clip: 8, backgroundColor: colour, borderColor: colour,
      pointStyle: is_bar(plot) ? "rect" : markers[place % markers.length], ...styles[plot.kind],
      ...(plot.kind === "lines" && is_ours(plot, place) ? { borderWidth: 3.5, pointRadius: 4.5 } : {}),
    };
  });
}

function axes_of(plot) {
  const axes = plot.kind === "lines" ? axes_of_lines(plot) : axes_of_labels(plot);
  for (const axis of Object.values(axes)) {
    axis.grid = { color: css("--line"), borderColor: css("--line") };
    axis.ticks.color = css("--soft");
    if (axis.title) axis.title.color = css("--soft");
  }
  return axes;
}

function axes_of_lines(plot) {
  return {
    x: {
      type: "logarithmic", title: { display: true, text: plot.x_title },
      ticks: { callback: log_tick(count_text, 1.3), maxRotation: 0 },
    },
    y: {
      type: plot.is_y_log ? "logarithmic" : "linear", beginAtZero: true, title: { display: true, text: plot.y_title },
      ...(plot.is_y_log ? room_around(plot, "y") : {}),
      ticks: plot.is_y_log ? { callback: log_tick(time_text, 1.8) } : { callback: time_text, maxTicksLimit: 7 },
    },
  };
}

function axes_of_labels(plot) {
  const is_log = plot.kind === "dots";
  return {
    x: {
      type: is_log ? "logarithmic" : "linear", beginAtZero: !is_log, stacked: plot.kind === "stack",
      title: { display: true, text: plot.x_title }, ...(is_log ? room_around(plot, "x") : {}),
      ticks: { maxRotation: 0, ...(is_log ? { callback: log_tick(number, 3.2) } : {}) },
    },
    y: {
      type: "category", labels: plot.labels, offset: true, stacked: plot.kind === "stack",
      ticks: { autoSkip: false, callback(value) { return short_label(this, plot.labels[value]); } },
    },
  };
}

// On a narrow page a long label is broken into lines, otherwise it would leave no room for the plot.
function short_label(scale, label) {
  if (scale.chart.width >= 560) return label;
  return label.split(" · ").flatMap((part) => part.match(/.{1,18}(_|$)|.+/g));
}

const types = { lines: "line", bars: "bar", stack: "bar", dots: "line" };

// Equal times, drawn below the dots.
const line_at_one = {
  id: "line_at_one",
  beforeDatasetsDraw(chart) {
    if (!chart.options.plugins.line_at_one.is_wanted) return;
    const { ctx, chartArea, scales } = chart;
    const x = scales.x.getPixelForValue(1);
    if (x < chartArea.left || x > chartArea.right) return;
    ctx.save();
    ctx.strokeStyle = css("--ink");
    ctx.setLineDash([5, 4]);
    ctx.beginPath();
    ctx.moveTo(x, chartArea.top);
    ctx.lineTo(x, chartArea.bottom);
    ctx.stroke();
    ctx.restore();
  },
};

function height_of(plot, width) {
  if (plot.kind === "lines") return 300;
  const lines = width < 560 ? 4 : 1;
  const bar_count = plot.kind === "bars" ? plot.series.length : 1;
  return 110 + plot.labels.length * Math.max(plot.kind === "dots" ? 24 : 14 * bar_count + 12, 16 * lines + 6);
}

function fit_height(plot, canvas) {
  const box = canvas.parentElement;
  box.style.height = `${height_of(plot, box.clientWidth)}px`;
}

function draw(plot, canvas) {
  const is_value_x = plot.kind !== "lines";
  fit_height(plot, canvas);
  new Chart(canvas, {
    type: types[plot.kind],
    data: { datasets: datasets_of(plot) },
    plugins: [line_at_one],
    options: {
      indexAxis: is_value_x ? "y" : "x",
      responsive: true, maintainAspectRatio: false, animation: false,
      interaction: { mode: is_bar(plot) ? "index" : "nearest", axis: is_bar(plot) ? "y" : "xy", intersect: false },
      scales: axes_of(plot),
      plugins: {
        line_at_one: { is_wanted: plot.kind === "dots" },
        legend: {
          position: "top", align: "start", labels: { usePointStyle: true, boxHeight: 7, color: css("--ink") },
        },
        tooltip: {
          callbacks: {
            title: (items) => (is_value_x ? items[0].raw.y : items[0].raw.row.split("/").slice(1, 4).join(" · ")),
            label: tooltip_label(plot, is_value_x),
          },
        },
      },
    },
  });
}

function each_plot(action) {
  for (const section of sections) {
    section.plots.forEach((plot, index) => action(plot, document.getElementById(`${section.id}-${index}`)));
  }
}

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
each_plot(draw);
// Chart.js keeps some old colours when those of a chart change, so a new theme gets new charts.
dark.addEventListener("change", () => each_plot((plot, canvas) => {
  Chart.getChart(canvas).destroy();
  draw(plot, canvas);
}));
window.addEventListener("resize", () => each_plot(fit_height));
