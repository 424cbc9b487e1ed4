package hubenvelope

import (
	"maps"
	"testing"
)

// An envelope that kubectl has made keeps the mark of kubectl, also where its author wants no annotations.
func TestKeepServerAnnotations(t *testing.T) {
	t.Parallel()
	live := map[string]string{kubectlLastApplied: "{}", "other": "gone"}
	for name, test := range map[string]struct{ live, want, kept map[string]string }{
		"no annotations":      {live, nil, map[string]string{kubectlLastApplied: "{}"}},
		"annotations":         {live, map[string]string{"a": "1"}, map[string]string{"a": "1", kubectlLastApplied: "{}"}},
		"not made by kubectl": {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := keepServerAnnotations(test.live, test.want); !maps.Equal(got, test.kept) {
				t.Errorf("%v", got)
			}
		})
	}
}
