// Numbers of all frames as lines, with a line at the frame that is shown: times by phase, and pairs.
"use strict";

const chart_colours = {
  light: ["#1664c0", "#12805c", "#c2500a", "#7a5cc7", "#0a7f96", "#a3297a", "#8a6d00", "#5b6675"],
  dark: ["#6fb1ff", "#4fd1a1", "#ff9a5c", "#b8a2ff", "#5fd3e6", "#f48fcf", "#e6c84f", "#aeb8c4"],
};

const total_times = (film) => Array.from({ length: film.frame_count }, (_, frame) =>
  film.phases.reduce((sum, _phase, phase) => sum + film.phase_ms[frame * film.phases.length + phase], 0));

// Times of a frame: one film by its phases, several by their totals. Times of phases add up; counts of several paths do not.
function time_rows(films) {
  if (films.length > 1) return films.map((film) => ({ label: film.title, data: total_times(film) }));
  // Phases that take next to nothing are one.
  const [film] = films;
  const totals = total_times(film);
  const times_of = (phase) => totals.map((_, frame) => film.phase_ms[frame * film.phases.length + phase]);
  const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
  const rows = film.phases.map((label, phase) => ({ label, data: times_of(phase) }))
    .map((row) => ({ ...row, median: median(row.data) })).sort((a, b) => b.median - a.median);
  const is_large = (row, place) => place < 4 || row.median > 0.08 * median(totals);
  const large = rows.filter(is_large), small = rows.filter((row, place) => !is_large(row, place));
  if (small.length) large.push({ label: "others", data: totals.map((_, frame) => small.reduce((sum, { data }) => sum + data[frame], 0)) });
  return large;
}

// How many pairs of a state each frame has, of all objects or of one.
function pair_counts(film, wanted_state, object = -1) {
  const { first, second, state, begin, end, count } = film.pairs;
  const changes = new Int32Array(film.frame_count + 1);
  for (let i = 0; i < count; ++i) {
    if (state[i] !== wanted_state || (object >= 0 && first[i] !== object && second[i] !== object)) continue;
    ++changes[begin[i]];
    --changes[end[i]];
  }
  let now = 0;
  return Array.from({ length: film.frame_count }, (_, frame) => (now += changes[frame]));
}

function pair_rows(films, selected) {
  const rows = films.flatMap((film, part) => {
    const name = films.length > 1 ? `${"AB"[part]}: ` : "";
    const object = selected?.part === part ? selected.object : -1;
    if (object >= 0) return [{ label: `${name}of box ${film.ids[object]}`, data: pair_counts(film, 1, object) },
      { label: "its candidates", data: pair_counts(film, 0, object) }];
    return [{ label: `${name}overlapping`, data: pair_counts(film, 1) }, { label: film.candidate_label.toLowerCase(), data: pair_counts(film, 0) }];
  });
  return rows.filter(({ data }, index) => index === 0 || data.some(Boolean));
}

// A frame that takes far longer than the others, as the first one does, is cut off.
function top_of(rows, is_stacked) {
  const values = is_stacked ? rows[0].data.map((_, frame) => rows.reduce((sum, { data }) => sum + data[frame], 0)) : rows.flatMap(({ data }) => data);
  const sorted = [...values].sort((a, b) => a - b);
  return 1.15 * Math.min(sorted[sorted.length - 1], 2.5 * sorted[Math.floor(0.5 * (sorted.length - 1))]);
}

class FrameChart {
  // `rows` is what is shown, as { label, data }; `unit` "ms" or another.
  constructor(section, frame_count, unit, is_stacked, seek) {
    this.frame_count = frame_count;
    this.unit = unit;
    this.is_stacked = is_stacked;
    this.rows = [];
    this.section = section;
    this.canvas = section.querySelector("canvas");
    this.cursor = section.querySelector(".cursor");
    this.value = section.querySelector(".value");
    const go_to = (event) => {
      const { left } = this.canvas.getBoundingClientRect();
      seek(Math.round(this.chart.scales.x.getValueForPixel(event.clientX - left)));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      go_to(event);
    });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) go_to(event); });
    section.addEventListener("toggle", () => { if (section.open) this.set_rows(this.rows); });
  }

  text_of(value) {
    return this.unit === "ms" ? `${value.toFixed(value < 1 ? 3 : 2)} ms` : `${number(value)} ${this.unit}`;
  }

  set_rows(rows, is_dark = dark.matches) {
    this.rows = rows;
    this.chart?.destroy();
    const colours = chart_colours[is_dark ? "dark" : "light"];
    const tick = { color: css("--soft"), maxRotation: 0, font: { size: 11 } };
    const of_times = this.unit === "ms" ? top_of(rows, this.is_stacked) : 0;
    this.chart = new Chart(this.canvas, {
      type: "line",
      data: {
        labels: Array.from({ length: this.frame_count }, (_, frame) => frame),
        datasets: rows.map(({ label, data }, index) => ({
          label, data, borderColor: colours[index % colours.length], backgroundColor: colours[index % colours.length] + "b0",
          borderWidth: 1, pointRadius: 0, fill: this.is_stacked && (index ? "-1" : "origin"), stepped: "middle",
        })),
      },
      options: {
        responsive: true, maintainAspectRatio: false, animation: false,
        interaction: { mode: "index", intersect: false },
        scales: {
          x: { type: "linear", min: 0, max: Math.max(1, this.frame_count - 1), ticks: { ...tick, maxTicksLimit: 6 }, grid: { display: false } },
          y: {
            stacked: this.is_stacked, min: 0, max: of_times || 1.15 * rows.flatMap(({ data }) => data).reduce((a, b) => Math.max(a, b), 1),
            ticks: { ...tick, maxTicksLimit: 4, callback: (value) => `${this.unit === "ms" ? Number(value.toPrecision(2)) : number(Math.round(value))} ${this.unit === "ms" ? "ms" : ""}` },
            grid: { color: css("--line") },
          },
        },
        plugins: {
          legend: { display: true, position: "bottom", labels: { boxWidth: 9, boxHeight: 9, padding: 6, color: css("--soft"), font: { size: 11 } } },
          tooltip: {
            callbacks: {
              title: (items) => `frame ${items[0].parsed.x}`,
              label: (item) => `${item.dataset.label}: ${this.text_of(item.parsed.y)}`,
            },
          },
        },
      },
    });
    this.show(this.frame ?? 0);
  }

  show(frame) {
    this.frame = frame;
    const sums = this.is_stacked ? [this.rows.reduce((sum, { data }) => sum + (data[frame] ?? 0), 0)] : this.rows.map(({ data }) => data[frame] ?? 0);
    this.value.textContent = sums.map((value) => (this.unit === "ms" ? this.text_of(value) : number(value))).join(" · ");
    if (!this.section.open || !this.chart) return;
    const { x } = this.chart.scales;
    this.cursor.style.display = "block";
    this.cursor.style.left = `${x.getPixelForValue(frame)}px`;
    this.cursor.style.top = `${this.chart.chartArea.top}px`;
    this.cursor.style.bottom = `${this.chart.height - this.chart.chartArea.bottom}px`;
  }
}
