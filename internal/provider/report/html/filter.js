// createFilters builds the form and calls changed with the state after each change.
function createFilters(model, changed) {
  const state = { actions: new Set(), placement: "", cluster: "", kind: "", owner: "", text: "", weighs: false };
  const form = byID("filters");
  const update = () => changed(state);
  const totals = new Map();
  for (const preview of model.previews) for (const [word, n] of preview.totals) count(totals, word, n);
  const buttons = ACTIONS.filter((action) => totals.has(action.word)).map((action) => {
    const button = el("button", { type: "button", class: "action", "aria-pressed": "false", title: action.meaning, "data-action": action.word },
      sign(action), " " + action.label + " (" + totals.get(action.word).toLocaleString("en") + ")");
    button.addEventListener("click", () => {
      const on = !state.actions.delete(action.word);
      if (on) state.actions.add(action.word);
      button.setAttribute("aria-pressed", String(on));
      update();
    });
    return button;
  });
  const owners = new Set(model.outcomes.flatMap((effects) => effects.map((effect) => effect.owner)));
  const weighs = el("input", { type: "checkbox", id: "filter-weighs" });
  weighs.addEventListener("change", () => { state.weighs = weighs.checked; update(); });
  const text = el("input", { type: "search", id: "filter-text", placeholder: "object, field, value, owner", autocomplete: "off", spellcheck: "false" });
  text.addEventListener("input", () => { state.text = text.value; update(); });
  const selects = [
    select("placement", "Placement", model.previews.map((preview) => preview.placement)), select("cluster", "Cluster", model.columns),
    select("kind", "Kind", [...new Set(model.rows.map((row) => row.kind))].sort()), select("owner", "Owner", [...owners].sort()),
  ];
  function select(name, label, values) {
    const box = el("select", { id: "filter-" + name }, el("option", { value: "" }, "all"),
      [...new Set(values)].filter((value) => value !== "").map((value) => el("option", { value }, value)));
    box.addEventListener("change", () => { state[name] = box.value; update(); });
    return el("span", { class: "field" }, el("label", { for: box.id }, label), box);
  }
  form.append(el("div", { class: "actions", role: "group", "aria-label": "Actions" }, buttons),
    el("div", { class: "fields" }, selects, el("span", { class: "field" }, el("label", { for: text.id }, "Text"), text),
      el("span", { class: "field check" }, weighs, el("label", { for: weighs.id }, "Only changes that need a decision")), el("button", { type: "reset" }, "Reset")));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    Object.assign(state, { placement: "", cluster: "", kind: "", owner: "", text: "", weighs: false });
    state.actions.clear();
    for (const button of buttons) button.setAttribute("aria-pressed", "false");
    update();
  });
  return state;
}

// select returns the rows and columns that pass the filters, and a test for single cells.
function selectView(model, state) {
  const text = state.text.trim().toLowerCase();
  const passes = new Uint8Array(model.outcomes.length); // 1 without regard to the text, 2 if the text is in it as well
  model.outcomes.forEach((effects, i) => {
    for (const effect of effects) {
      if (state.actions.size > 0 && !state.actions.has(effect.action.word) || state.owner !== "" && effect.owner !== state.owner ||
        state.weighs && !effect.weighs) continue;
      passes[i] = Math.max(passes[i], text === "" || searchText(effect).includes(text) ? 2 : 1);
    }
  });
  const named = model.columns.map((name) => text !== "" && name.toLowerCase().includes(text));
  const candidates = model.columns.map((name, c) => c).filter((c) => state.cluster === "" || model.columns[c] === state.cluster);
  const isShown = (row, c) => {
    const pass = passes[row.cells[c]];
    return pass === 2 || pass === 1 && (named[c] || row.named);
  };
  const used = new Uint8Array(model.columns.length);
  const rows = model.rows.filter((row) => {
    if (state.placement !== "" && row.preview.placement !== state.placement || state.kind !== "" && row.kind !== state.kind) return false;
    row.named = text !== "" && row.title.toLowerCase().includes(text);
    let any = false;
    for (const c of candidates) {
      if (isShown(row, c)) {
        any = true;
        used[c] = 1;
      }
    }
    return any;
  });
  const isFiltered = text !== "" || state.weighs || state.actions.size > 0 || [state.placement, state.cluster, state.kind, state.owner].some((value) => value !== "");
  return { rows, columns: isFiltered ? candidates.filter((c) => used[c] === 1) : candidates, isShown, isFiltered };
}

// describeFilters says which filters are set.
function describeFilters(state) {
  const out = ["placement", "cluster", "kind", "owner", "text"].filter((name) => state[name] !== "").map((name) => name + " " + state[name]);
  if (state.actions.size > 0) out.push("actions " + [...state.actions].map((word) => actionOf(word).label).join(", "));
  if (state.weighs) out.push("only changes that need a decision");
  return out.join("; ");
}
