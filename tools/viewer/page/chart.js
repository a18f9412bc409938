// The times of all frames by phase, with a line at the frame that is shown.
"use strict";

const phase_colours = {
  light: ["#1664c0", "#12805c", "#c2500a", "#7a5cc7", "#0a7f96", "#a3297a", "#8a6d00", "#5b6675"],
  dark: ["#6fb1ff", "#4fd1a1", "#ff9a5c", "#b8a2ff", "#5fd3e6", "#f48fcf", "#e6c84f", "#aeb8c4"],
};

// A frame that takes far longer than the others, as the first one does, is cut off.
function top_of(totals) {
  const sorted = [...totals].sort((a, b) => a - b);
  return 1.15 * Math.min(sorted[sorted.length - 1], 2.5 * sorted[Math.floor(0.5 * (sorted.length - 1))]);
}

class TimeChart {
  constructor(films, seek) {
    this.films = films;
    this.seek = seek;
    this.canvas = document.getElementById("plot");
    this.cursor = document.getElementById("cursor");
    this.totals = films.map((film) => Array.from({ length: film.frame_count }, (_, frame) =>
      film.phases.reduce((sum, _phase, phase) => sum + film.phase_ms[frame * film.phases.length + phase], 0)));
    const go_to = (event) => {
      const { left } = this.canvas.getBoundingClientRect();
      this.seek(Math.round(this.chart.scales.x.getValueForPixel(event.clientX - left)));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      go_to(event);
    });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) go_to(event); });
  }

  text_of(value) {
    const unit = this.films[0].phase_unit;
    return unit === "ms" ? `${value.toFixed(value < 1 ? 3 : 2)} ms` : `${value.toLocaleString("en")} ${unit}`;
  }

  // One film by its phases; several by their totals.
  datasets(colours) {
    const line = (label, data, index, fill) => ({
      label, data, borderColor: colours[index % colours.length], backgroundColor: colours[index % colours.length] + "b0",
      borderWidth: 1, pointRadius: 0, fill, stepped: "middle",
    });
    if (this.films.length > 1) return this.films.map((film, index) => line(film.title, this.totals[index], index, false));
    // Phases that take next to nothing are one.
    const [film] = this.films;
    const times_of = (phase) => this.totals[0].map((_, frame) => film.phase_ms[frame * film.phases.length + phase]);
    const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
    const rows = film.phases.map((name, phase) => ({ name, times: times_of(phase) }))
      .map((row) => ({ ...row, median: median(row.times) })).sort((a, b) => b.median - a.median);
    const is_large = (row, place) => place < 4 || row.median > 0.08 * median(this.totals[0]);
    const large = rows.filter(is_large), small = rows.filter((row, place) => !is_large(row, place));
    if (small.length) large.push({ name: "others", times: this.totals[0].map((_, frame) => small.reduce((sum, { times }) => sum + times[frame], 0)) });
    return large.map(({ name, times }, index) => line(name, times, index, this.is_stacked() && (index ? "-1" : "origin")));
  }

  top() {
    if (this.films[0].phase_unit === "ms") return top_of(this.totals.flat());
    return 1.15 * this.films.flatMap((film) => Array.from(film.phase_ms)).reduce((a, b) => Math.max(a, b), 1);
  }

  // Times of phases add up; counts of several paths do not.
  is_stacked() { return this.films.length === 1 && this.films[0].phase_unit === "ms"; }

  set_theme(is_dark) {
    this.chart?.destroy();
    const frame_count = Math.max(...this.totals.map((totals) => totals.length));
    const unit = this.films[0].phase_unit;
    const tick = { color: css("--soft"), maxRotation: 0, font: { size: 11 } };
    this.chart = new Chart(this.canvas, {
      type: "line",
      data: {
        labels: Array.from({ length: frame_count }, (_, frame) => frame),
        datasets: this.datasets(phase_colours[is_dark ? "dark" : "light"]),
      },
      options: {
        responsive: true, maintainAspectRatio: false, animation: false,
        interaction: { mode: "index", intersect: false },
        scales: {
          x: { type: "linear", min: 0, max: Math.max(1, frame_count - 1), ticks: { ...tick, maxTicksLimit: 6 }, grid: { display: false } },
          y: {
            stacked: this.is_stacked(), min: 0, max: this.top(),
            ticks: { ...tick, maxTicksLimit: 4, callback: (value) => `${Number(value.toPrecision(2))} ${unit}` },
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
    const { x } = this.chart.scales;
    this.cursor.style.display = "block";
    this.cursor.style.left = `${x.getPixelForValue(frame)}px`;
    this.cursor.style.top = `${this.chart.chartArea.top}px`;
    this.cursor.style.bottom = `${this.chart.height - this.chart.chartArea.bottom}px`;
    const texts = this.films[0].phase_unit !== "ms" ? [] : this.totals.map((totals) => (frame < totals.length ? this.text_of(totals[frame]) : ""));
    document.getElementById("frame-time").textContent = texts.join(" · ");
  }
}
