package host

import (
	"reflect"
	"testing"
)

// TestChanges checks that the patch of a policy has only the changed fields, and keeps unknown fields.
func TestChanges(t *testing.T) {
	t.Parallel()
	list := func(entries ...any) []any { return entries }
	stored := func() map[string]any {
		return map[string]any{
			"schedulingMode": "Divide", "replicasStrategy": "Binpack", "clusterSelector": map[string]any{"a": "b"}, "disableFollowerScheduling": false,
			"placement":        list(map[string]any{"cluster": "one", "preferences": map[string]any{"weight": int64(2)}}),
			"reschedulePolicy": map[string]any{"rescheduleWhen": map[string]any{"clusterJoined": true}, "replicaRescheduling": map[string]any{"avoidDisruption": true}},
		}
	}
	want := map[string]any{
		"schedulingMode": "Divide", "placement": list(map[string]any{"cluster": "two"}, map[string]any{"cluster": "one"}),
		"reschedulePolicy": map[string]any{"disableRescheduling": false, "rescheduleWhen": map[string]any{"clusterJoined": false}},
	}
	expected := map[string]any{
		"clusterSelector":  nil,
		"placement":        list(map[string]any{"cluster": "two"}, map[string]any{"cluster": "one", "preferences": map[string]any{"weight": int64(2)}}),
		"reschedulePolicy": map[string]any{"rescheduleWhen": map[string]any{"clusterJoined": false}},
	}
	if got := changes(want, stored()); !reflect.DeepEqual(got, expected) {
		t.Errorf("%v", got)
	}
	same := stored()
	delete(same, "replicasStrategy")
	if got := changes(same, stored()); len(got) > 0 {
		t.Errorf("%v", got)
	}
}
