package html

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// Format is the version of the data. [Page] rejects data in other versions.
const Format = 2

// document is one preview in compact form. Its tables refer to each other by index: Details, Fields and Objects to Texts; Effects to Texts, Details and Fields;
// Outcomes to Effects; Cells to Outcomes.
type document struct {
	Format    int    `json:"fleet_report"`
	Placement string `json:"placement"`
	// Assumed reports that the preview makes assumptions, so that no apply does what it shows.
	Assumed bool `json:"assumed,omitempty"`
	// Missing is the reason why there is no preview, or "" if there is one. Without a preview, only Format, Placement and Missing are set.
	Missing string `json:"missing,omitempty"`
	// Heading is the line that a person reads first.
	Heading string `json:"heading,omitempty"`
	// Introduction says what the report assumes and how the placement changes as a whole. Notes and Advice are those of the report.
	Introduction []string  `json:"introduction,omitempty"`
	Settings     []setting `json:"settings,omitempty"`
	Notes        []string  `json:"notes,omitempty"`
	Advice       []string  `json:"advice,omitempty"`
	Clusters     []cluster `json:"clusters,omitempty"`

	Texts []string `json:"texts,omitempty"`
	// Details are pairs of a label and a text.
	Details [][2]int `json:"details,omitempty"`
	// Fields are the name of a field, its value on the cluster, who set that value, the value to be placed, and flags.
	Fields   [][5]int `json:"fields,omitempty"`
	Effects  effects  `json:"effects"`
	Outcomes [][]int  `json:"outcomes,omitempty"`
	// Objects are titles. Cells has one run-length encoded row for each object: pairs of a value and a number of consecutive clusters. The value is the index of
	// an outcome plus 1, or 0 if the placement does not have the object on these clusters.
	Objects []int   `json:"objects,omitempty"`
	Cells   [][]int `json:"cells,omitempty"`
}

type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type cluster struct {
	Name   string `json:"name"`
	Picked string `json:"picked"`
	Why    string `json:"why,omitempty"`
	What   string `json:"what,omitempty"`
	Checks string `json:"checks,omitempty"`
	// State is "blocked" if nothing can be placed on the cluster, "unchecked" if it could not be checked, otherwise "" for a picked cluster and "skipped" for one
	// that is not picked.
	State string `json:"state,omitempty"`
}

// effects are columns of a table: the word of the action, whether a person has to weigh it, details and fields.
type effects struct {
	Actions []int   `json:"actions,omitempty"`
	Weighs  []int   `json:"weighs,omitempty"`
	Details [][]int `json:"details,omitempty"`
	Fields  [][]int `json:"fields,omitempty"`
}

const (
	currentAbsent = 1 << iota
	desiredAbsent
	isImmutable
)

// encode returns a value as JSON in ASCII and without "<", ">" and "&", so that it can be a part of HTML. It is ASCII because Terraform
// normalizes strings to NFC: a raw combining tilde after the escape "\n" would change the escape to "\ñ", which is not valid JSON.
func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range string(text) {
		if r < 0x7f {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String(), nil
}

// parse decodes a document, and checks its format and its indexes.
func parse(text string) (*document, error) {
	var version struct {
		Format int `json:"fleet_report"`
	}
	if err := json.Unmarshal([]byte(text), &version); err != nil || version.Format == 0 {
		return nil, errors.New("it is not a report_data of the data source fleet_placement_preview")
	}
	if version.Format != Format {
		return nil, fmt.Errorf("it has format %d, and this version of the provider reads format %d. Read the data source again with the same version of the provider",
			version.Format, Format)
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	var out document
	if err := decoder.Decode(&out); err != nil {
		return nil, fmt.Errorf("it is not a complete report_data: %w", err)
	}
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("it is not a complete report_data: %w", err)
	}
	return &out, nil
}

// check returns an error if an index is out of range, or if tables that belong together have different lengths.
func (d *document) check() error {
	c := checker{}
	for _, detail := range d.Details {
		c.within(len(d.Texts), detail[:]...)
	}
	for _, field := range d.Fields {
		c.within(len(d.Texts), field[:4]...)
	}
	n := len(d.Effects.Actions)
	c.equal(n, len(d.Effects.Weighs), len(d.Effects.Details), len(d.Effects.Fields))
	c.within(len(d.Texts), d.Effects.Actions...)
	for _, details := range d.Effects.Details {
		c.within(len(d.Details), details...)
	}
	for _, fields := range d.Effects.Fields {
		c.within(len(d.Fields), fields...)
	}
	for _, outcome := range d.Outcomes {
		c.within(n, outcome...)
	}
	c.within(len(d.Texts), d.Objects...)
	c.equal(len(d.Objects), len(d.Cells))
	for _, runs := range d.Cells {
		left := len(d.Clusters)
		for i, value := range runs {
			if i%2 == 0 {
				c.within(len(d.Outcomes)+1, value)
				continue
			}
			c.within(left, value-1)
			left -= value
		}
		c.equal(left, 0)
		c.equal(len(runs)%2, 0)
	}
	return c.err
}

type checker struct{ err error }

func (c *checker) within(n int, indexes ...int) {
	for _, i := range indexes {
		if (i < 0 || i >= n) && c.err == nil {
			c.err = fmt.Errorf("index %d is outside of a table with %d rows", i, n)
		}
	}
}

func (c *checker) equal(n int, others ...int) {
	for _, other := range others {
		if other != n && c.err == nil {
			c.err = fmt.Errorf("a table has %d rows instead of %d", other, n)
		}
	}
}
