package predict

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Surprise is an object that is not as the user agreed to.
type Surprise struct {
	Cluster string
	manifest.Identifier
	Problem string
}

// NotAgreed lists the objects that are not as they were in the preview that the user agreed to.
func (p *Prediction) NotAgreed() []Surprise {
	var out []Surprise
	for _, c := range p.Clusters {
		for _, o := range c.Items {
			if o.Obstacle == takeover.ObstacleNotAgreed {
				out = append(out, Surprise{Cluster: c.Name, Identifier: o.Identifier, Problem: o.Problem})
			}
		}
	}
	return out
}
