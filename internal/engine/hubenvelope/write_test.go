package hubenvelope

import (
	"maps"
	"testing"
)

// TestMerge checks that a write keeps the annotations of others, such as kubectl, even if the configuration has no annotations. It removes annotations that
// were removed from the configuration.
func TestMerge(t *testing.T) {
	t.Parallel()
	live := map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "1", "b": "2"}
	before := map[string]string{"a": "1", "b": "2"}
	for name, test := range map[string]struct{ live, before, want, kept map[string]string }{
		"no annotations": {live, before, nil, map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
		"annotations": {
			live, before, map[string]string{"a": "3", "c": "4"},
			map[string]string{"a": "3", "c": "4", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
		},
		"nothing known of before": {live, nil, map[string]string{"a": "1"}, live},
		"none at all":             {nil, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := merge(test.live, test.before, test.want); !maps.Equal(got, test.kept) {
				t.Errorf("%v", got)
			}
		})
	}
}
