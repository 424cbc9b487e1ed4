package manifest

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	// maxExpansion limits the expanded size of a document's aliases, in bytes of memory. An API server rejects objects larger than 3 MiB.
	maxExpansion = 4 << 20
	// nodeWeight is the approximate size of a value without its text, in bytes.
	nodeWeight = 16
)

var errExpansion = fmt.Errorf("its aliases expand to more than %d MiB of values: write the values without aliases", maxExpansion>>20)

// checkExpansion rejects a document whose aliases expand to more than a cluster accepts. The decoder replaces each alias with a copy of its
// anchor. Its own limit counts the values of aliases, not their size.
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

type expansion struct {
	// weights are the sizes of anchors. A size is zero while it is computed, which ends the recursion for an anchor that contains itself. The decoder rejects
	// such an anchor.
	weights map[*yaml.Node]int
	// aliased is the total size of the aliases, at most maxExpansion+1.
	aliased int
}

// weigh returns the size of a node with all aliases expanded, at most maxExpansion+1.
func (e *expansion) weigh(node *yaml.Node) int {
	if node.Kind == yaml.AliasNode {
		weight := e.weighAnchor(node.Alias)
		e.aliased = min(e.aliased+weight, maxExpansion+1)
		return weight
	}
	if node.Anchor != "" {
		return e.weighAnchor(node)
	}
	return e.weighContent(node)
}

func (e *expansion) weighAnchor(node *yaml.Node) int {
	if node == nil {
		return 0
	}
	if weight, known := e.weights[node]; known {
		return weight
	}
	e.weights[node] = 0
	weight := e.weighContent(node)
	e.weights[node] = weight
	return weight
}

func (e *expansion) weighContent(node *yaml.Node) int {
	weight := nodeWeight + len(node.Value)
	for _, child := range node.Content {
		weight = min(weight+e.weigh(child), maxExpansion+1)
	}
	return weight
}
