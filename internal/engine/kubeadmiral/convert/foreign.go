package convert

import "strings"

// notForeign leaves out keys of labels and annotations that the control plane or kubectl writes; nil for none.
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
