package engine

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Expectation is what a preview has found of the objects that are not the placement's own, and what it has shown to be deleted. An apply that
// is told of it takes no object over that the preview did not show as it is now: one that has appeared since, or that has come to differ in
// other fields. It deletes none that the preview did not show as deleted.
type Expectation struct {
	// marks are by cluster and by object. A cluster that could not be looked at is not in it.
	marks map[string]map[string]string
	// strict lets nothing be taken over on a cluster that could not be looked at.
	strict bool
}

// MarkAbsent stands for an object that is not on the cluster.
const MarkAbsent = "-"

// markDeleted stands for an object of the placement's own that is to be deleted, or that could not be looked at and may have to be.
const markDeleted = "x"

// markEqual stands for an object that does not differ from what is to be placed.
const markEqual = "="

// Mark stands for an object as it is. The differences are to be those of a local comparison, which does not depend on what the
// credentials may do, so that a plan with read-only ones serves an apply with others.
func Mark(differences []diff.Difference) string {
	if len(differences) == 0 {
		return markEqual
	}
	fields := map[string]any{}
	for i, d := range differences {
		fields[fmt.Sprintf("%d%s", i, d.Path)] = []any{d.HasMember, diff.Render(d.InMember)}
	}
	return manifest.Hash(fields)[:16]
}

// Expect takes from a preview what an apply is to be held to.
func Expect(preview *Preview) *Expectation {
	out := &Expectation{marks: map[string]map[string]string{}}
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil {
			continue
		}
		marks := map[string]string{}
		for _, object := range cluster.Objects {
			switch {
			case object.Action == takeover.ActionPrune || object.Action == takeover.ActionUnknown:
				marks[object.Key().String()] = markDeleted
			case object.Mark != "":
				marks[object.Key().String()] = object.Mark
			}
		}
		out.marks[cluster.Name] = marks
	}
	return out
}

// Contradicts says why an object that is not the placement's own must not be taken over: it is not as it was expected. It returns ""
// if it is, and for no expectation. Of a cluster that the preview could not look at nothing is expected, unless the expectation was
// written down and read again: then somebody agreed to what it shows, and to nothing else.
func (e *Expectation) Contradicts(cluster string, object manifest.Key, mark string) string {
	if e == nil {
		return ""
	}
	marks, looked := e.marks[cluster]
	if !looked && !e.strict {
		return ""
	}
	switch expected := marks[object.String()]; expected {
	case mark:
		return ""
	case "":
		return "the preview that was agreed to did not show the object"
	case MarkAbsent:
		return "the object has appeared on the cluster since the preview was made"
	case markEqual:
		return "the object was equal to what is to be placed when the preview was made, and is no longer"
	default:
		return "the object has changed since the preview was made"
	}
}

// Deletes tells whether an object of the placement's own may be deleted: it was shown as deleted. Without an expectation it may. On a cluster
// that the preview could not look at nothing was shown.
func (e *Expectation) Deletes(cluster string, object manifest.Key) bool {
	return e == nil || e.marks[cluster][object.String()] == markDeleted
}

// String writes the expectation as text that [ParseExpectation] reads.
func (e *Expectation) String() string {
	var text bytes.Buffer
	compressed := gzip.NewWriter(&text)
	// A map of strings has no JSON error, and a buffer none of writing.
	_ = json.NewEncoder(compressed).Encode(e.marks)
	_ = compressed.Close()
	return expectationPrefix + base64.RawURLEncoding.EncodeToString(text.Bytes())
}

const (
	// expectationPrefix begins with another number for what binds otherwise: an older digest does not say what is deleted.
	expectationPrefix      = "v2."
	olderExpectationPrefix = "v1."
	// maxExpectation bounds what is read: some 100 objects on each of 1,000 clusters, uncompressed.
	maxExpectation = 32 << 20
)

// ParseExpectation reads what String wrote.
func ParseExpectation(text string) (*Expectation, error) {
	if strings.HasPrefix(text, olderExpectationPrefix) {
		return nil, errors.New("it is the digest of an older version of the provider, which did not tell what is deleted: make the preview again " +
			"with this version, and use its digest")
	}
	problem := errors.New("it is not the digest of a preview: use the attribute \"digest\" of a fleet_placement_preview as it is")
	if len(text) < len(expectationPrefix) || text[:len(expectationPrefix)] != expectationPrefix {
		return nil, problem
	}
	data, err := base64.RawURLEncoding.DecodeString(text[len(expectationPrefix):])
	if err != nil {
		return nil, problem
	}
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, problem
	}
	out := &Expectation{strict: true}
	if err := json.NewDecoder(io.LimitReader(plain, maxExpectation)).Decode(&out.marks); err != nil {
		return nil, problem
	}
	return out, nil
}
