package rollout

import "slices"

// LastWave is the wave of everything that has no other: custom resources, above all.
const LastWave = 999

// waves ranks resources by their plural name; the rank counts only in one of waveGroups. The first wave is 0.
var waves = buildWaves(
	[]string{"namespaces", "priorityclasses"},
	[]string{
		"networkpolicies", "resourcequotas", "limitranges", "podsecuritypolicies", "poddisruptionbudgets", "serviceaccounts", "secrets",
		"configmaps", "storageclasses", "persistentvolumes", "persistentvolumeclaims", "customresourcedefinitions", "ingressclasses",
	},
	[]string{"clusterroles", "roles"},
	[]string{"clusterrolebindings", "rolebindings"},
	[]string{
		"services", "daemonsets", "pods", "replicationcontrollers", "replicasets", "deployments", "horizontalpodautoscalers",
		"statefulsets", "jobs", "cronjobs", "ingresses",
	},
	[]string{"apiservices", "validatingwebhookconfigurations", "mutatingwebhookconfigurations"},
)

// waveGroups are the API groups whose resources can have a wave of their own.
var waveGroups = []string{
	"", "networking.k8s.io", "scheduling.k8s.io", "policy", "storage.k8s.io", "apiextensions.k8s.io", "rbac.authorization.k8s.io", "apps",
	"autoscaling", "apiregistration.k8s.io", "admissionregistration.k8s.io", "batch",
}

func buildWaves(resources ...[]string) map[string]int {
	ranks := map[string]int{}
	for wave, names := range resources {
		for _, name := range names {
			ranks[name] = wave
		}
	}
	return ranks
}

// Wave returns the wave in which KubeFleet's work applier handles a resource, which is named in the plural. Waves follow each other, the
// objects of one are handled side by side. A wave does not wait for the objects of the one before to be available, nor does a failure in
// one keep the next from starting.
func Wave(group, resource string) int {
	wave, known := waves[resource]
	if !known || !slices.Contains(waveGroups, group) {
		return LastWave
	}
	return wave
}
