package rollout

import "slices"

// LastWave is the wave of all resources without a wave of their own, mainly custom resources.
const LastWave = 999

// waves maps the plural names of resources to waves, for the groups in waveGroups. The first wave is 0.
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

// Wave returns the wave in which KubeFleet's work applier applies a resource. resource is its plural name. Waves are sequential; the objects of a wave are
// applied in parallel. A wave does not wait until the objects of the previous wave are available, and starts even if the previous wave has failures.
func Wave(group, resource string) int {
	wave, known := waves[resource]
	if !known || !slices.Contains(waveGroups, group) {
		return LastWave
	}
	return wave
}
