package convert

import "strings"

// notForeign returns the labels or annotations without those that the control plane or kubectl writes. It returns nil if none are left.
func notForeign(in map[string]string) map[string]string {
	var out map[string]string
	for key, value := range in {
		if strings.Contains(key, "kubeadmiral.io/") || strings.HasPrefix(key, "kubectl.kubernetes.io/") {
			continue
		}
		set(&out, key, value)
	}
	return out
}
