// The effects on objects: word, sign, label, tone and meaning. The most severe is first: a cell with several effects shows the sign of the first one, and the
// matrix lists the objects in this order.
const ACTIONS = [
  ["prune", "\u2212", "delete", "delete", "The placement deletes the object."],
  ["replace", "\u00b1", "delete and recreate", "delete", "The object is deleted with its contents, and created again."],
  ["reject", "\u2715", "cannot be placed", "conflict", "The object cannot be placed now."],
  ["leave_alone", "\u2260", "not taken over", "conflict", "The object is pre-existing and remains unchanged."],
  ["unavailable", "!", "will not become available", "conflict", "The Pods of the workload need objects that are missing."],
  ["take_over", "\u2193", "take over", "takeover", "The object is pre-existing. The placement becomes its owner and overwrites the fields that differ."],
  ["restart", "\u21bb", "restart Pods", "takeover", "The write replaces Pods of the workload, or may do so."],
  ["overwrite", "\u21af", "overwrite values of others", "takeover", "The update overwrites values that others have set."],
  ["leave_drifted", "\u2248", "drifted, not updated", "conflict", "Others have changed the object, and it remains unchanged."],
  ["unknown", "?", "remove (not checked)", "conflict", "The object is to be removed, and could not be checked."],
  ["defer", "\u2026", "delete later", "delete", "The object is deleted by a later apply, or once another placement is removed."],
  ["take_over_from", "\u21c4", "take over from another placement", "takeover", "Another placement hands the object over. It is not deleted or recreated."],
  ["hand_over", "\u2192", "hand over", "takeover", "The object is handed over to another placement, and is not deleted."],
  ["report", "i", "report only", "change", "The object is compared and not written."],
  ["orphan", "\u2191", "leave on the cluster", "change", "The object remains on the cluster, and the placement no longer manages it."],
  ["update", "~", "update", "change", "The placement updates its object."],
  ["again", "\u2295", "create again", "create", "The placement had created or taken over the object. It was deleted since, and is created again."],
  ["create", "+", "create", "create", "The placement creates the object."],
  ["none", "\u00b7", "unchanged", "none", "The object remains unchanged."],
].map(([word, sign, label, tone, meaning], severity) => ({ word, sign, label, tone, meaning, severity }));

// actionOf returns the action of a word.
function actionOf(word) {
  return ACTIONS.find((action) => action.word === word) ||
    { word, sign: "?", label: word, tone: "conflict", meaning: "This page does not know the action.", severity: -1 };
}
