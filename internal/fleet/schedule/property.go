package schedule

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/quantity"
)

// property is a property of clusters that a policy uses. Each value is parsed at most once, and only if it is read: an unused value may be invalid.
type property struct {
	name     string
	lookup   func(*Cluster) (string, bool)
	err      error // set if the name is invalid; returned only when a cluster is read
	readings []propertyValue
	extremes *extremes
}

type propertyValue struct {
	done, present bool
	quantity      resource.Quantity
	err           error
}

type properties struct {
	clusters []*Cluster
	byName   map[string]*property
}

func (p *properties) get(name string) *property {
	if known, found := p.byName[name]; found {
		return known
	}
	out := &property{name: name, readings: make([]propertyValue, len(p.clusters))}
	out.lookup, out.err = propertyLookup(name)
	if p.byName == nil {
		p.byName = map[string]*property{}
	}
	p.byName[name] = out
	return out
}

// propertyLookup returns the function that reads a property. Names of resources are split at each dash, so ephemeral-storage is not supported
// (KubeFleet, ClusterAffinity plugin, retrieveResourceUsageFrom).
func propertyLookup(name string) (func(*Cluster) (string, bool), error) {
	rest, isResource := strings.CutPrefix(name, kubefleetapi.ResourcePrefix)
	if !isResource {
		return func(c *Cluster) (string, bool) { value, found := c.Properties[name]; return value, found }, nil
	}
	parts := strings.Split(rest, "-")
	if len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		return nil, fmt.Errorf("%q is not the name of a resource property: after %s come total, allocatable or available, one dash and a "+
			"resource without dashes", name, kubefleetapi.ResourcePrefix)
	}
	key := parts[1]
	switch parts[0] {
	case "total":
		return func(c *Cluster) (string, bool) { value, found := c.Usage.Capacity[key]; return value, found }, nil
	case "allocatable":
		return func(c *Cluster) (string, bool) { value, found := c.Usage.Allocatable[key]; return value, found }, nil
	case "available":
		return func(c *Cluster) (string, bool) { value, found := c.Usage.Available[key]; return value, found }, nil
	}
	return nil, fmt.Errorf("%q counts a resource as %q, which is not one of total, allocatable, available", name, parts[0])
}

// read returns the value of the property on a cluster. A missing property is no error, but present is false. index is the index of the cluster.
func (p *property) read(c *Cluster, index int) *propertyValue {
	r := &p.readings[index]
	if r.done {
		return r
	}
	r.done = true
	if p.err != nil {
		r.err = p.err
		return r
	}
	text, found := p.lookup(c)
	if !found {
		return r
	}
	value, err := quantity.Parse(text)
	if err != nil {
		r.err = fmt.Errorf("the value %q of property %s is not a quantity: %w", text, p.name, err)
		return r
	}
	r.present, r.quantity = true, value
	return r
}

type extremes struct{ min, max float64 }

// findExtremes reads all clusters, including those that cannot be picked (KubeFleet, ClusterAffinity plugin, preparePluginState). Like
// KubeFleet, it compares exact values and converts only the results to floats.
func (p *property) findExtremes(clusters []*Cluster) error {
	if p.extremes != nil {
		return nil
	}
	var smallest, largest *resource.Quantity
	for i, c := range clusters {
		r := p.read(c, i)
		if r.err != nil {
			return &Error{Cluster: c.Name, Err: r.err}
		}
		if !r.present {
			continue
		}
		if smallest == nil || compareQuantities(r.quantity, *smallest) < 0 {
			smallest = &r.quantity
		}
		if largest == nil || compareQuantities(r.quantity, *largest) > 0 {
			largest = &r.quantity
		}
	}
	p.extremes = &extremes{}
	if smallest != nil {
		p.extremes = &extremes{min: smallest.AsApproximateFloat64(), max: largest.AsApproximateFloat64()}
	}
	return nil
}
