package manifest

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	// maxExpansion bounds what the aliases of a document stand for, in bytes as memory is taken for them. An API server takes no object of
	// more than 3 MiB.
	maxExpansion = 4 << 20
	// nodeWeight is what a value takes besides its text, roughly.
	nodeWeight = 16
)

var errExpansion = fmt.Errorf("its aliases stand for more than %d MiB of values: write out what is needed", maxExpansion>>20)

// checkExpansion refuses a document whose aliases stand for more than a cluster would take. The decoder replaces every alias by a copy of
// its anchor, and bounds only how often anchors stand inside each other.
func checkExpansion(chunk []byte, firstLine int) error {
	if !bytes.Contains(chunk, []byte{'&'}) || !bytes.Contains(chunk, []byte{'*'}) {
		return nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal(chunk, &root); err != nil {
		return describeYAMLError(err, firstLine)
	}
	counting := expansion{weights: map[*yaml.Node]int{}}
	if counting.weigh(&root); counting.aliased > maxExpansion {
		return errExpansion
	}
	return nil
}

// expansion adds up what aliases stand for.
type expansion struct {
	weights map[*yaml.Node]int // of anchors; zero while one is being weighed, since one that contains itself is refused by the decoder
	aliased int
}

// weigh returns what a node takes once all aliases in it are replaced. It never goes far beyond the limit.
func (e *expansion) weigh(node *yaml.Node) int {
	if node.Kind == yaml.AliasNode {
		weight := e.anchor(node.Alias)
		e.aliased = min(e.aliased+weight, maxExpansion+1)
		return weight
	}
	if node.Anchor != "" {
		return e.anchor(node)
	}
	return e.content(node)
}

// anchor weighs a node that aliases may stand for, once.
func (e *expansion) anchor(node *yaml.Node) int {
	if node == nil {
		return 0
	}
	if weight, known := e.weights[node]; known {
		return weight
	}
	e.weights[node] = 0
	weight := e.content(node)
	e.weights[node] = weight
	return weight
}

func (e *expansion) content(node *yaml.Node) int {
	weight := nodeWeight + len(node.Value)
	for _, child := range node.Content {
		weight = min(weight+e.weigh(child), maxExpansion+1)
	}
	return weight
}
