package model

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// ListQuiet returns the objects that [Report.Rows] omits: those that are created or remain unchanged. An object has one row for all clusters with the same
// action. [Row].Placement is the placement that provides the kind of a created object, or "".
func ListQuiet(preview *engine.Preview) []*Row {
	type key struct {
		action             takeover.Action
		object, providedBy string
		again              bool
	}
	var out []*Row
	known := map[key]*Row{}
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if !isQuiet(o) {
				continue
			}
			at := key{o.Action, Title(o.Identifier), Name(o.ProvidedBy), o.Again}
			if known[at] == nil {
				known[at] = &Row{Action: o.Action, Object: at.object, Placement: at.providedBy, Again: o.Again}
				out = append(out, known[at])
			}
			known[at].Clusters = append(known[at].Clusters, Name(cluster.Name))
		}
	}
	return out
}

func isQuiet(o engine.ObjectPreview) bool {
	return o.Action == takeover.ActionNone && o.Obstacle == takeover.ObstacleNone || o.Action == takeover.ActionCreate
}
