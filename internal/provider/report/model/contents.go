package model

import (
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// DescribeContents says what is deleted with a Namespace or CustomResourceDefinition; "" for objects of other kinds.
func (r *Row) DescribeContents() string {
	if r.ContentNames == "" {
		return r.Contents
	}
	return r.Contents + ": " + r.ContentNames
}

func describeContents(o engine.ObjectPreview) (contents, names string) {
	text, empty := "with everything in it", "it contains nothing else"
	switch {
	case o.Group == "apiextensions.k8s.io" && o.Kind == "CustomResourceDefinition":
		text, empty = "with every object of its kind", "no other object of its kind exists"
	case !o.IsNamespace():
		return "", ""
	}
	switch {
	case o.Contents == nil:
		return text, ""
	case o.Contents.Empty() && len(o.Contents.First) > 0:
		return empty + " once " + describeRemoved(o.Contents.First), ""
	case o.Contents.Empty():
		return empty, ""
	case o.Contents.Count == 0:
		return text + "; " + Name(strings.Join(o.Contents.Unseen, ", ")) + " could not be checked", ""
	default:
		return text, Message(o.Contents.Names())
	}
}

func describeRemoved(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(Name(name))
	}
	if len(quoted) == 1 {
		return "placement " + quoted[0] + " is removed"
	}
	return "placements " + strings.Join(quoted, ", ") + " are removed"
}
