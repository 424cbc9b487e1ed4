const model = unpack(JSON.parse(byID("data").textContent));
showTotals(model);
const showMatrix = createMatrix(model, createDetails(model));
let view;
const filters = createFilters(model, (state) => {
  view = selectView(model, state);
  showMatrix(view);
  byID("status").textContent = "Showing " + view.rows.length.toLocaleString("en") + " of " + numbered(model.rows.length, "object") + " on " +
    view.columns.length.toLocaleString("en") + " of " + numbered(model.columns.length, "cluster") + ".";
});
byID("filters").dispatchEvent(new Event("reset"));
showLegend();
showPlacements(model);
printOnDemand(model, () => ({ view, filters: describeFilters(filters) }));
