package kubefleetapi

import "testing"

func TestPlacementOfWork(t *testing.T) {
	t.Parallel()
	for work, want := range map[string][2]string{
		"web-work":                             {"", "web"},
		"web-1-12":                             {"", "web-1"},
		"shop.web-2":                           {"shop", "web"},
		"web-work-envelope-0123456789abcdef":   {"", "web"},
		"shop.web-1-envelope-0123456789abcdef": {"shop", "web"},
		"web-3-configmap-0b1c2d3e-0000-4000-8000-0123456789ab": {"", "web"},
	} {
		if namespace, name, ok := PlacementOfWork(work); !ok || [2]string{namespace, name} != want {
			t.Errorf("%s: %q, %q, %t", work, namespace, name, ok)
		}
	}
	for _, work := range []string{"", "-work", "web", "web-envelope-0123456789abcdef", "work"} {
		if namespace, name, ok := PlacementOfWork(work); ok {
			t.Errorf("%s: %q, %q", work, namespace, name)
		}
	}
}
