package report

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

// arrival is an object that is created once another placement of the run has brought its kind.
type arrival struct {
	name, placement string
	clusters        []string
}

// arrivals returns each object that is created once another placement has brought its kind.
func arrivals(preview *engine.Preview) []*arrival {
	var out []*arrival
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.BroughtBy == "" || o.Action != takeover.ActionCreate {
				continue
			}
			name, by := (&finding{object: o}).title(), strconv.Quote(plain(o.BroughtBy, maxName))
			i := slices.IndexFunc(out, func(a *arrival) bool { return a.name == name && a.placement == by })
			if i < 0 {
				i = len(out)
				out = append(out, &arrival{name: name, placement: by})
			}
			out[i].clusters = append(out[i].clusters, plain(cluster.Name, maxName))
		}
	}
	return out
}

// addKinds adds the objects whose kind another placement of the run brings, and the kinds that this placement brings to others.
func (r *review) addKinds(out *section) {
	var alike alikeNames
	for _, a := range arrivals(r.preview) {
		alike.add(fmt.Sprintf("create on %s once the placement %s has brought the kind, not checked:", words.List(a.clusters, maxClusters), a.placement), a.name)
	}
	for _, text := range alike.order {
		out.add(flow(text, "  ", abridge(alike.of[text]))...)
	}
	for _, text := range supplyNotes(r.preview) {
		out.add(text)
	}
}

// supplyNotes returns a note for each kind that this placement brings and that a placement planned before it lacks.
func supplyNotes(preview *engine.Preview) []string {
	var out []string
	for _, supply := range preview.Supplies {
		out = append(out, fmt.Sprintf("brings %s to %s; the apply of the placement %s waits for it and creates the objects, although its plan could not show that",
			kindName(supply.Kind), words.List(plainAll(supply.Clusters), maxClusters), strconv.Quote(plain(supply.Placement, maxName))))
	}
	return out
}

// arrivalTable has the objects whose kind another placement of the run brings.
func arrivalTable(preview *engine.Preview) *table {
	out := &table{
		title: "Objects that are created once another placement has brought their kind",
		intro: "They were not checked, because the clusters do not serve the kind yet.", head: []string{"Object", "On", "Placement"}, reserve: 2000,
	}
	for _, a := range arrivals(preview) {
		out.row(len(a.clusters), code(a.name), codes(a.clusters), code(a.placement))
	}
	return fold(out)
}

// kindAdvice says what the user can do about kinds that no placement of the run is known to bring.
func kindAdvice(preview *engine.Preview) string {
	lacks := preview.Lacks()
	if len(lacks) == 0 || preview.Predicted {
		return ""
	}
	var kinds, advice []string
	for _, lack := range lacks {
		i := slices.IndexFunc(preview.Elsewhere, func(other engine.Lack) bool { return other.Kind == lack.Kind })
		if i < 0 {
			kinds = append(kinds, kindName(lack.Kind))
			continue
		}
		advice = append(advice, fmt.Sprintf("The placement %s brings %s to other clusters, and not to %s. Place the CustomResourceDefinition there as well.",
			strconv.Quote(plain(preview.Elsewhere[i].Placement, maxName)), kindName(lack.Kind), words.List(plainAll(lack.Clusters), maxClusters)))
	}
	if len(kinds) > 0 {
		advice = append(advice, dependsAdvice(kinds))
	}
	return strings.Join(advice, " ")
}

// dependsAdvice says what the user can do if another placement brings the kinds.
func dependsAdvice(kinds []string) string {
	return fmt.Sprintf("If another placement of the run brings %s, the apply waits for the kind and creates the objects. To have this plan show that, add a depends_on "+
		"with the other placement.", words.List(kinds, maxDifferences))
}

// lacksKinds reports whether all failed objects are of kinds that their clusters do not serve.
func (o *outcome) lacksKinds() bool {
	n := 0
	for _, object := range o.result.Objects {
		if isOfUnservedKind(object) {
			n++
		}
	}
	return n > 0 && n == o.counts[failed]
}

func isOfUnservedKind(object engine.ObjectResult) bool {
	return object.Failure != nil && object.Obstacle == takeover.ObstacleNotServed
}

// kindNext says what the user can do about objects whose kind did not arrive while the apply waited: another placement of the run may be applied later.
func (o *outcome) kindNext() string {
	var kinds, others []string
	for _, object := range o.result.Objects {
		kind := object.GroupVersionKind()
		if !isOfUnservedKind(object) || slices.Contains(kinds, kindName(kind)) {
			continue
		}
		kinds = append(kinds, kindName(kind))
		if o.asked.Brings == nil {
			continue
		}
		if by := o.asked.Brings(kind); by != "" && !slices.Contains(others, by) {
			others = append(others, by)
		}
	}
	next := fmt.Sprintf("The next apply creates the objects if the clusters serve %s by then. ", words.List(kinds, maxDifferences))
	if len(others) == 0 {
		return next + "If another placement brings the kind, add depends_on = [...] with the resource of that placement to the resource of this one: then one apply is enough."
	}
	return next + fmt.Sprintf("The kind comes with %s, which Terraform had not applied by then. To create the objects in the same apply, add depends_on = [...] with the "+
		"resource of %s to the resource of placement %q.", placementList(others), placementList(others), o.name)
}

// kindName names a kind with its group and version.
func kindName(kind schema.GroupVersionKind) string {
	return plain(fmt.Sprintf("%s (%s)", kind.Kind, strings.TrimPrefix(kind.GroupVersion().String(), "/")), maxName)
}
