package model

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Name returns a name from a cluster in one printable line, cut at the maximum length of a Kubernetes name.
func Name(text string) string { return printable.Cut(text, 253) }

// Names is [Name] for several names.
func Names(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = Name(name)
	}
	return out
}

// Message returns a message from a cluster in one printable line, cut after 400 characters.
func Message(text string) string { return printable.Cut(text, 400) }

// Impersonal returns a message about a cluster without the cluster's name, so that messages about several clusters are equal.
func Impersonal(text, cluster string) string {
	quoted := fmt.Sprintf("%q", cluster)
	return strings.NewReplacer(
		" for cluster "+quoted+": ", ": ", "cluster "+quoted+": ", "",
		"The member cluster "+quoted, "The cluster", "the member cluster "+quoted, "the cluster",
		"Cluster "+quoted, "The cluster", "cluster "+quoted, "the cluster",
		"The member "+quoted, "The cluster", "the member "+quoted, "the cluster", "member "+quoted, "the cluster",
		quoted, "the cluster",
	).Replace(text)
}

// About returns a message about a cluster for a line that names the cluster.
func About(cluster, text string) string { return Message(Impersonal(text, cluster)) }
