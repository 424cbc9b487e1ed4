package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Creation is an object that is created on some clusters.
type Creation struct {
	Object string
	// By is the quoted name of the placement that defines the object's kind, or "".
	By string
	// Again reports that the placement had written the object, and that it was deleted on the clusters since.
	Again    bool
	Clusters []string
}

// listCreated returns the objects that are created, except those of listArriving. On new clusters, it omits objects that the plan names elsewhere.
func listCreated(preview *engine.Preview, options Options) []Creation {
	return collectCreated(preview, func(c engine.ClusterPreview, o engine.ObjectPreview) bool {
		return o.ProvidedBy == "" && (!isNew(c) || options.Listed == nil || !options.Listed(o.Identifier))
	})
}

func listArriving(preview *engine.Preview) []Creation {
	return collectCreated(preview, func(_ engine.ClusterPreview, o engine.ObjectPreview) bool { return o.ProvidedBy != "" })
}

func collectCreated(preview *engine.Preview, is func(engine.ClusterPreview, engine.ObjectPreview) bool) []Creation {
	var out []Creation
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Action != takeover.ActionCreate || !is(cluster, o) {
				continue
			}
			one := Creation{Object: Title(o.Identifier), Again: o.Again}
			if o.ProvidedBy != "" {
				one.By = strconv.Quote(Name(o.ProvidedBy))
			}
			i := slices.IndexFunc(out, func(c Creation) bool { return c.Object == one.Object && c.By == one.By && c.Again == one.Again })
			if i < 0 {
				i = len(out)
				out = append(out, one)
			}
			out[i].Clusters = append(out[i].Clusters, Name(cluster.Name))
		}
	}
	return out
}

func listSupplies(preview *engine.Preview) []string {
	var out []string
	for _, supply := range preview.Supplies {
		out = append(out, fmt.Sprintf("provides %s on %s; the apply of the placement %s waits for the kind and creates the objects, although its plan could "+
			"not show that",
			KindName(supply.Kind), words.List(Names(supply.Clusters), MaxClusters), strconv.Quote(Name(supply.Placement))))
	}
	return out
}

// KindName names a kind with its group and version.
func KindName(kind schema.GroupVersionKind) string {
	return Name(fmt.Sprintf("%s (%s)", kind.Kind, strings.TrimPrefix(kind.GroupVersion().String(), "/")))
}

// Lacking is a workload whose Pods need objects that are missing, the same ones on all of its clusters.
type Lacking struct {
	Object   string
	Clusters []string
	// Absent are the objects that are not on the cluster, Deleted those that the plan deletes there.
	Absent, Deleted []string
}

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

// DescribeAbsent says that objects are not on a cluster.
func DescribeAbsent(missing []manifest.Identifier) string {
	names := make([]string, len(missing))
	for i, id := range missing {
		names[i] = Name(id.String())
	}
	return joinAbsent(names)
}

func joinAbsent(names []string) string {
	if len(names) == 1 {
		return names[0] + " is not on the cluster"
	}
	return words.List(names, MaxFields) + " are not on the cluster"
}

// Why says which objects the Pods of the workload need.
func (l *Lacking) Why() string {
	var why []string
	if len(l.Absent) > 0 {
		why = append(why, joinAbsent(l.Absent))
	}
	if len(l.Deleted) > 0 {
		why = append(why, "this plan deletes "+words.List(l.Deleted, MaxFields))
	}
	return strings.Join(why, ", and ")
}
