package report

import (
	"fmt"
	"strings"
)

// impersonal takes the name of a cluster out of what is told of it, so that the same trouble on many clusters is told once, beside their
// names.
func impersonal(text, cluster string) string {
	quoted := fmt.Sprintf("%q", cluster)
	return strings.NewReplacer(
		" for cluster "+quoted+": ", ": ", "cluster "+quoted+": ", "",
		"The member cluster "+quoted, "The cluster", "the member cluster "+quoted, "the cluster",
		"Cluster "+quoted, "The cluster", "cluster "+quoted, "the cluster",
		"The member "+quoted, "The cluster", "the member "+quoted, "the cluster", "member "+quoted, "the cluster",
		quoted, "the cluster",
	).Replace(text)
}
