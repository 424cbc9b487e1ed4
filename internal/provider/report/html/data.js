// unpack returns the previews with their tables resolved, all clusters as columns, and a row for each object of each preview.
function unpack(documents) {
  const columns = [...new Set(documents.flatMap((doc) => (doc.clusters || []).map((cluster) => cluster.name)))]
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const column = new Map(columns.map((name, i) => [name, i]));
  // The outcome 0 is an object that a placement does not have on a cluster.
  const model = { previews: [], columns, rows: [], outcomes: [[]] };
  for (const doc of documents) {
    const preview = { ...doc, clusters: doc.clusters || [], states: new Map(), totals: new Map() };
    for (const cluster of preview.clusters) preview.states.set(cluster.name, cluster.state || "");
    model.previews.push(preview);
    unpackRows(model, preview, doc, column);
  }
  model.rows.sort((a, b) => a.severity - b.severity || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
  return model;
}

function unpackRows(model, preview, doc, column) {
  const effects = unpackEffects(doc);
  const first = model.outcomes.length - 1;
  for (const outcome of doc.outcomes || []) {
    model.outcomes.push(outcome.map((i) => effects[i]).sort((a, b) => a.action.severity - b.action.severity));
  }
  (doc.objects || []).forEach((object, i) => {
    const title = doc.texts[object];
    const row = { preview, title, kind: title.split(" ")[0], cells: new Int32Array(model.columns.length), severity: ACTIONS.length };
    let at = 0;
    for (let run = 0; run < doc.cells[i].length; run += 2) {
      const [value, length] = [doc.cells[i][run], doc.cells[i][run + 1]];
      if (value > 0) {
        for (const effect of model.outcomes[first + value]) count(preview.totals, effect.action.word, length);
        row.severity = Math.min(row.severity, model.outcomes[first + value][0].action.severity);
        for (let n = 0; n < length; n++) row.cells[column.get(doc.clusters[at + n].name)] = first + value;
      }
      at += length;
    }
    model.rows.push(row);
  });
}

function unpackEffects(doc) {
  const texts = doc.texts || [];
  const details = (doc.details || []).map(([label, text]) => ({ label: texts[label], text: texts[text] }));
  const fields = (doc.fields || []).map(([name, current, setBy, desired, flags]) => ({
    name: texts[name], current: texts[current], setBy: texts[setBy], desired: texts[desired],
    currentAbsent: (flags & 1) !== 0, desiredAbsent: (flags & 2) !== 0, immutable: (flags & 4) !== 0,
  }));
  return (doc.effects.actions || []).map((word, i) => {
    const effect = {
      action: actionOf(texts[word]), weighs: doc.effects.weighs[i] === 1,
      details: doc.effects.details[i].map((d) => details[d]), fields: doc.effects.fields[i].map((f) => fields[f]),
    };
    effect.owner = (effect.details.find((d) => d.label === "Owner") || { text: "" }).text;
    return effect;
  });
}

function count(totals, key, n) {
  totals.set(key, (totals.get(key) || 0) + n);
}

// searchText returns everything that the page shows about an effect.
function searchText(effect) {
  return [effect.action.label, ...effect.details.flatMap((d) => [d.label, d.text]),
    ...effect.fields.flatMap((f) => [f.name, f.current, f.setBy, f.desired])].join("\n").toLowerCase();
}

// groupByOutcome returns the clusters of a row that pass a test, grouped by what happens there.
function groupByOutcome(model, row, passes) {
  const groups = new Map();
  row.cells.forEach((outcome, c) => {
    if (outcome === 0 || !passes(c)) return;
    if (!groups.has(outcome)) groups.set(outcome, { effects: model.outcomes[outcome], clusters: [] });
    groups.get(outcome).clusters.push(model.columns[c]);
  });
  return [...groups.values()];
}
