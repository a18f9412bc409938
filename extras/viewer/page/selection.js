// The texts on one box: its numbers, its pairs and its events.
"use strict";

const state_names = ["fixed", "resting", "moving", "in contact", "kinematic", "hidden"];

function text_row(name, values) {
  const row = document.createElement("tr");
  row.append(Object.assign(document.createElement("th"), { textContent: name }),
    ...values.map((value) => Object.assign(document.createElement("td"), { textContent: value })));
  return row;
}

function link(text, action) {
  const button = Object.assign(document.createElement("button"), { className: "link", textContent: text });
  button.addEventListener("click", action);
  return button;
}

// Numbers, pairs now, and events over time of one object.
function describe(film, drawing, object, page) {
  const frame = drawing.frame;
  const at = 6 * (frame * film.object_count + object);
  const parts = [];
  const table = document.createElement("table");
  const digits = film.step.map((step) => Math.min(6, Math.max(0, Math.ceil(-Math.log10(step)))));
  const texts = (values) => values.map((value, axis) => value.toFixed(digits[axis]));
  if (is_absent(film.boxes, at)) {
    table.append(text_row("state", ["not there in this frame"]));
  } else {
    const low = corner_of(film, at, 0), high = corner_of(film, at, 1);
    table.append(text_row("", ["x", "y", "z"]), text_row("min", texts(low)), text_row("max", texts(high)),
      text_row("size", texts(high.map((value, axis) => value - low[axis]))));
    if (frame + 1 < film.frame_count && !is_absent(film.boxes, at + 6 * film.object_count)) {
      const next = corner_of(film, at + 6 * film.object_count, 0);
      const way = next.map((value, axis) => value - low[axis]);
      const speed = text_row("speed", [`${Number(Math.hypot(...way).toPrecision(3))} a frame`]);
      speed.lastChild.colSpan = 3;
      table.append(text_row("way", texts(way)), speed);
    }
    const state = text_row("state", [state_names[drawing.boxes.states[object]]]);
    state.lastChild.colSpan = 3;
    table.append(state);
  }
  parts.push(table);
  const { first, second, state, begin, end, count } = film.pairs;
  const pair_list = document.createElement("ul"), event_list = document.createElement("ul");
  const partner_link = (other) => link(`box ${film.ids[other]}`, () => page.select({ part: page.drawings.indexOf(drawing), object: other }));
  const kinds = [film.candidate_label.toLowerCase().replace(/s$/, ""), "overlap"];
  const events = [];
  for (let i = 0; i < count; ++i) {
    if (first[i] !== object && second[i] !== object) continue;
    const other = first[i] === object ? second[i] : first[i];
    if (begin[i] <= frame && frame < end[i]) {
      const item = document.createElement("li");
      item.append(partner_link(other), ` · ${kinds[state[i]]} since frame ${begin[i]}`);
      pair_list.append(item);
    }
    events.push([begin[i], `${kinds[state[i]]} begins`, other]);
    if (end[i] < film.frame_count) events.push([end[i], `${kinds[state[i]]} ends`, other]);
  }
  const { impacts } = film;
  for (let f = 0; f < film.frame_count; ++f) {
    for (let i = impacts.starts[f]; i < impacts.starts[f + 1]; ++i) {
      if (impacts.first[i] !== object && impacts.second[i] !== object) continue;
      const other = impacts.first[i] === object ? impacts.second[i] : impacts.first[i];
      events.push([f, `impact at ${(impacts.toi[i] / 65534).toFixed(3)} of the step`, other]);
    }
  }
  events.sort((a, b) => a[0] - b[0]);
  for (const [when, text, other] of events.slice(0, 200)) {
    const item = document.createElement("li");
    item.append(link(`frame ${when}`, () => { page.pause(); page.seek(when); }), `: ${text}, `, partner_link(other));
    event_list.append(item);
  }
  const heading = (text) => Object.assign(document.createElement("h3"), { textContent: text });
  if (pair_list.children.length) parts.push(heading(`Pairs in this frame: ${pair_list.children.length}`), pair_list);
  if (events.length) parts.push(heading(events.length > 200 ? `Events: the first 200 of ${events.length}` : `Events: ${events.length}`), event_list);
  parts.push(Object.assign(document.createElement("p"), { textContent: "Rounded for the picture." }));
  return parts;
}
