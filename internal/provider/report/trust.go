package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Trusted warns of an import whose records could not be verified; title is the quoted name of the placement. It says nothing where there are none.
func Trusted(diags *diag.Diagnostics, title string, clusters []string) {
	if len(clusters) > 0 {
		diags.AddAttributeWarning(path.Root("name"), "The records of placement "+title+" are trusted without verification",
			trusted(clusters)+" The next apply that changes the placement signs them. Before that apply, check that its plan updates and deletes only "+
				"objects of the placement: every client with the right to write ConfigMaps in fleet-system on one of these clusters can have changed what the placement owns.")
	}
}

// trustNote names the clusters whose records are used without verification; "" if there are none.
func trustNote(preview *engine.Preview, then string) string {
	var clusters []string
	for _, cluster := range preview.Clusters {
		if cluster.RecordTrusted {
			clusters = append(clusters, cluster.Name)
		}
	}
	if len(clusters) == 0 {
		return ""
	}
	return trusted(clusters) + " " + then
}

func trusted(clusters []string) string {
	return "Trusted without verification: the records on " + words.List(plainAll(clusters), maxClusters) + ", because this state has not signed them yet (import)."
}

// unmanagedNotes name the overrides that no resource of the run is known to manage.
func unmanagedNotes(preview *engine.Preview) []string {
	var out []string
	for _, o := range preview.Unmanaged {
		out = append(out, fmt.Sprintf("The %s changes objects on %s, and no resource that this placement depends on manages it. If a resource of the "+
			"configuration does, add it to depends_on; if none does, check the %s there.", plain(o.String(), maxName), words.List(plainAll(o.Clusters), maxClusters),
			plain(o.Record, maxName)))
	}
	return out
}

func plainAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = plain(name, maxName)
	}
	return out
}
