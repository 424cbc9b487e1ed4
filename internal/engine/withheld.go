package engine

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Withheld describes the values and messages that are omitted from a status, because they may contain sensitive values.
type Withheld struct {
	// About are the clusters and objects that the omitted values and messages are about.
	About []Reported
	// Err is the reason why it is unknown which values are sensitive.
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
