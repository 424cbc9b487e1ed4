const ROW = 28, CELL = 32, NAME = 340, HEAD = 150, MARGIN = 8;

// createMatrix returns a function that shows a view. Only the visible rows have elements. One cell can be reached with Tab, the arrow keys move from it.
function createMatrix(model, open) {
  const grid = byID("matrix");
  const head = el("div", { class: "head", role: "row", "aria-rowindex": "1" });
  const body = el("div", { class: "body", role: "rowgroup" });
  grid.append(el("div", { class: "headgroup", role: "rowgroup" }, head), body);
  const shown = new Map();
  const active = { row: 0, column: -1 };
  let view = { rows: [], columns: [], isShown: () => false };

  function show(next) {
    view = next;
    const width = NAME + view.columns.length * CELL + "px";
    head.replaceChildren(el("div", { class: "name", role: "columnheader", "aria-colindex": "1" }, "Object"), ...view.columns.map(drawColumn));
    head.style.width = body.style.width = width;
    body.style.height = view.rows.length * ROW + "px";
    grid.setAttribute("aria-rowcount", view.rows.length + 1);
    grid.setAttribute("aria-colcount", view.columns.length + 1);
    body.replaceChildren();
    shown.clear();
    active.row = Math.max(0, Math.min(active.row, view.rows.length - 1));
    active.column = Math.min(active.column, view.columns.length - 1);
    draw();
  }

  function drawColumn(c, at) {
    const name = model.columns[c];
    const states = model.previews.map((preview) => preview.states.get(name));
    const state = ["unchecked", "blocked"].find((s) => states.includes(s)) || (states.includes("") ? "" : "skipped");
    const label = { unchecked: "not checked", blocked: "cannot be placed", skipped: "not picked", "": "" }[state];
    const mark = { unchecked: "? ", blocked: "\u2715 ", skipped: "", "": "" }[state];
    return el("div", { class: "cluster " + state, role: "columnheader", "aria-colindex": at + 2, title: name + (label && " (" + label + ")") }, el("span", {}, mark + name));
  }

  function draw() {
    const from = Math.max(0, Math.floor(grid.scrollTop / ROW) - MARGIN);
    const to = Math.min(view.rows.length, Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + MARGIN);
    for (const [index, element] of shown) {
      if ((index < from || index >= to) && index !== active.row) {
        element.remove();
        shown.delete(index);
      }
    }
    const added = [];
    for (const index of view.rows.length > 0 ? [active.row, ...range(from, to)] : []) {
      if (shown.has(index)) continue;
      const element = drawRow(view.rows[index], index);
      shown.set(index, element);
      added.push(element);
    }
    body.append(...added);
  }

  function drawRow(row, index) {
    const placement = model.previews.length > 1 ? el("span", { class: "placement" }, row.preview.placement + " ") : "";
    const out = el("div", { class: "row", role: "row", "aria-rowindex": index + 2 },
      el("div", { class: "name", role: "rowheader", "aria-colindex": "1", tabindex: tab(index, -1), title: row.title, "data-row": index, "data-column": "-1" }, placement, row.title),
      view.columns.map((c, at) => drawCell(row, c, index, at)));
    out.style.top = index * ROW + "px";
    return out;
  }

  function drawCell(row, c, index, at) {
    const effects = model.outcomes[row.cells[c]];
    const attributes = { class: "cell", role: "gridcell", "aria-colindex": at + 2, tabindex: tab(index, at), "data-row": index, "data-column": at };
    if (effects.length === 0 && row.preview.states.get(model.columns[c]) === "unchecked") {
      return el("div", { ...attributes, class: "cell unseen", "aria-label": "cluster not checked", title: model.columns[c] + ": cluster not checked" }, "?");
    }
    if (effects.length === 0) return el("div", { ...attributes, "aria-label": "not placed" });
    const label = effects.map((effect) => effect.action.label).join(", ");
    attributes.class += " tone-" + effects[0].action.tone + (effects.length > 1 ? " several" : "") + (view.isShown(row, c) ? "" : " other");
    return el("div", { ...attributes, "aria-label": label, title: model.columns[c] + ": " + label }, effects[0].action.sign);
  }

  function tab(row, column) {
    return row === active.row && column === active.column ? "0" : "-1";
  }

  function find(row, column) {
    const line = shown.get(row);
    return line && line.children[column + 1];
  }

  function focus(row, column) {
    const old = find(active.row, active.column);
    if (old) old.tabIndex = -1;
    active.row = Math.max(0, Math.min(row, view.rows.length - 1));
    active.column = Math.max(-1, Math.min(column, view.columns.length - 1));
    const top = active.row * ROW, room = grid.clientHeight - HEAD;
    if (top < grid.scrollTop) grid.scrollTop = top;
    if (top + ROW > grid.scrollTop + room) grid.scrollTop = top + ROW - room;
    const left = Math.max(0, active.column) * CELL, space = grid.clientWidth - NAME;
    if (left < grid.scrollLeft) grid.scrollLeft = left;
    if (left + CELL > grid.scrollLeft + space) grid.scrollLeft = left + CELL - space;
    draw();
    const cell = find(active.row, active.column);
    if (!cell) return;
    cell.tabIndex = 0;
    cell.focus({ preventScroll: true });
  }

  function openActive() {
    const row = view.rows[active.row];
    if (row) open(row, active.column < 0 ? -1 : view.columns[active.column]);
  }

  grid.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor((grid.clientHeight - HEAD) / ROW) - 1);
    const { row, column } = active;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageUp: [row - page, column], PageDown: [row + page, column],
      Home: [event.ctrlKey ? 0 : row, -1], End: [event.ctrlKey ? Infinity : row, Infinity],
    };
    if (moves[event.key] && !event.altKey && !event.metaKey) focus(...moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") openActive();
    else return;
    event.preventDefault();
  });
  grid.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-row]");
    if (!cell) return;
    focus(Number(cell.dataset.row), Number(cell.dataset.column));
    openActive();
  });
  // The skip link and a click beside the cells focus the grid itself.
  grid.addEventListener("focus", () => focus(active.row, active.column));
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  grid.addEventListener("scroll", later);
  window.addEventListener("resize", later);
  return show;
}

function range(from, to) {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}
