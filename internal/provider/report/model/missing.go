package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Lacking is a workload whose Pods need objects that are missing, alike on all of its clusters.
type Lacking struct {
	Object   string
	Clusters []string
	// Absent are the objects that are not on the cluster, Deleted those that the plan deletes there.
	Absent, Deleted []string
}

// listLacking returns the workloads whose Pods need an object that is missing.
func listLacking(preview *engine.Preview) []*Lacking {
	var out []*Lacking
	known := map[string]*Lacking{}
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			if len(object.Missing) == 0 {
				continue
			}
			one := &Lacking{Object: Title(object.Identifier)}
			for _, id := range object.Missing {
				if slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool { return o.Action == takeover.ActionPrune && o.Key() == id.Key() }) {
					one.Deleted = append(one.Deleted, Name(id.String()))
				} else {
					one.Absent = append(one.Absent, Name(id.String()))
				}
			}
			key := fmt.Sprint(*one)
			if known[key] == nil {
				known[key] = one
				out = append(out, one)
			}
			known[key].Clusters = append(known[key].Clusters, Name(cluster.Name))
		}
	}
	return out
}

// Absent says that objects are not on a cluster.
func Absent(missing []manifest.Identifier) string {
	names := make([]string, len(missing))
	for i, id := range missing {
		names[i] = Name(id.String())
	}
	return describeAbsent(names)
}

func describeAbsent(names []string) string {
	if len(names) == 1 {
		return names[0] + " is not on the cluster"
	}
	return words.List(names, MaxFields) + " are not on the cluster"
}

// Why says which objects the Pods of the workload need.
func (l *Lacking) Why() string {
	var why []string
	if len(l.Absent) > 0 {
		why = append(why, describeAbsent(l.Absent))
	}
	if len(l.Deleted) > 0 {
		why = append(why, "this plan deletes "+words.List(l.Deleted, MaxFields))
	}
	return strings.Join(why, ", and ")
}
