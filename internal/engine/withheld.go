package engine

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Withheld says which values and messages a status lacks, because they may quote sensitive values.
type Withheld struct {
	// About are the clusters and objects that they are about.
	About []Reported
	// Err is the reason why the sensitive values are not known.
	Err error
}

// Reported is something that a status is about: an object on a cluster, or a cluster as a whole.
type Reported struct {
	Cluster string
	// Object is nil for the cluster as a whole.
	Object *manifest.Identifier
}

func (r Reported) String() string {
	if r.Object == nil {
		return fmt.Sprintf("cluster %q", r.Cluster)
	}
	return fmt.Sprintf("%s on cluster %q", r.Object, r.Cluster)
}
