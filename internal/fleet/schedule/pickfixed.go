package schedule

import "fmt"

// pickFixed takes the clusters that are named and eligible. No other plugin runs: taints do not matter.
func pickFixed(names []string, clusters []Cluster) Outcome {
	byName := make(map[string]Cluster, len(clusters))
	for _, cluster := range clusters {
		byName[cluster.Name] = cluster
	}
	var valid, invalid, missing []Decision
	for _, name := range names {
		cluster, found := byName[name]
		switch {
		case !found:
			missing = append(missing, Decision{Cluster: name, Reason: fmt.Sprintf("Specified cluster %q is not found", name)})
		case cluster.Ineligible != "":
			invalid = append(invalid, Decision{Cluster: name, Reason: fmt.Sprintf(
				"Cluster %q is not eligible for resource placement yet: %s", name, cluster.Ineligible)})
		default:
			valid = append(valid, picked(name, nil))
		}
	}
	return Outcome{
		Decisions: append(append(valid, invalid...), missing...),
		Wanted:    len(names),
		Fulfilled: len(invalid)+len(missing) == 0,
	}
}
