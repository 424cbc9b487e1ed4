package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Created is an object that is created on some clusters.
type Created struct {
	Object string
	// By is the quoted name of the placement that brings the object's kind, or "".
	By       string
	Clusters []string
}

// listCreated returns the objects that are created, except on new clusters those that the plan names elsewhere.
func listCreated(preview *engine.Preview, options Options) []Created {
	return collectCreated(preview, func(c engine.ClusterPreview, o engine.ObjectPreview) bool {
		return o.BroughtBy == "" && (!isNew(c) || options.Listed == nil || !options.Listed(o.Identifier))
	})
}

// listArriving returns the objects that are created once another placement has brought their kind.
func listArriving(preview *engine.Preview) []Created {
	return collectCreated(preview, func(_ engine.ClusterPreview, o engine.ObjectPreview) bool { return o.BroughtBy != "" })
}

func collectCreated(preview *engine.Preview, is func(engine.ClusterPreview, engine.ObjectPreview) bool) []Created {
	var out []Created
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Action != takeover.ActionCreate || !is(cluster, o) {
				continue
			}
			one := Created{Object: Title(o.Identifier)}
			if o.BroughtBy != "" {
				one.By = strconv.Quote(Name(o.BroughtBy))
			}
			i := slices.IndexFunc(out, func(c Created) bool { return c.Object == one.Object && c.By == one.By })
			if i < 0 {
				i = len(out)
				out = append(out, one)
			}
			out[i].Clusters = append(out[i].Clusters, Name(cluster.Name))
		}
	}
	return out
}

// listSupplies are notes about the kinds that this placement brings and that a placement planned before it lacks.
func listSupplies(preview *engine.Preview) []string {
	var out []string
	for _, supply := range preview.Supplies {
		out = append(out, fmt.Sprintf("brings %s to %s; the apply of the placement %s waits for it and creates the objects, although its plan could not show that",
			KindName(supply.Kind), words.List(Names(supply.Clusters), MaxClusters), strconv.Quote(Name(supply.Placement))))
	}
	return out
}

// KindName names a kind with its group and version.
func KindName(kind schema.GroupVersionKind) string {
	return Name(fmt.Sprintf("%s (%s)", kind.Kind, strings.TrimPrefix(kind.GroupVersion().String(), "/")))
}
