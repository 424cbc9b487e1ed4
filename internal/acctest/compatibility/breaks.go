package compatibility

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Break is an incompatible change: it can make a configuration, a reference or a state that worked before fail.
type Break struct {
	// Block is the block that changed, "resource fleet_crp". Path is the path of its attribute, empty for the block itself.
	Block, Path string
	// Reason completes the sentence: "was removed".
	Reason string
}

// String returns a sentence.
func (b Break) String() string {
	if b.Path == "" {
		return fmt.Sprintf("%s %s.", b.Block, b.Reason)
	}
	return fmt.Sprintf("%s: %s %s.", b.Block, b.Path, b.Reason)
}

// Breaks returns the incompatible changes between two versions of the schemas, sorted.
//
// A removal, a renaming (which is a removal and an addition), another type, and a new required argument are incompatible. The same holds for an argument that
// becomes required, can no longer be set, accepts fewer values or starts to replace the resource, and for an attribute that is no longer computed. It is
// incompatible if an attribute becomes sensitive or write-only, because outputs fail, or if it is no longer so, because plans and states show secrets. A lower
// version of a state's format is incompatible too. Additions are compatible.
func Breaks(before, after Schemas) []Break {
	var out []Break
	for _, block := range slices.Sorted(maps.Keys(before)) {
		report := func(path, reason string) { out = append(out, Break{Block: block, Path: path, Reason: reason}) }
		now, found := after[block]
		if !found {
			report("", "was removed")
			continue
		}
		was := before[block]
		if now.Version < was.Version {
			report("", fmt.Sprintf("has a lower version of the state's format: %d, and it was %d", now.Version, was.Version))
		}
		for _, path := range slices.Sorted(maps.Keys(was.Attributes)) {
			if attribute, found := now.Attributes[path]; found {
				compareAttribute(was.Attributes[path], attribute, func(reason string) { report(path, reason) })
			} else if !isPartOfRemoved(path, was, now) {
				report(path, "was removed")
			}
		}
		for _, path := range slices.Sorted(maps.Keys(now.Attributes)) {
			if _, existed := was.Attributes[path]; !existed && now.Attributes[path].Required && existedAbove(path, was) {
				report(path, "is a new required argument")
			}
		}
	}
	return out
}

// compareAttribute reports the incompatible changes of one attribute.
func compareAttribute(was, now Attribute, report func(reason string)) {
	if was.Type != now.Type {
		report(fmt.Sprintf("changed its type from %s to %s", was.Type, now.Type))
	}
	switch {
	case was.isArgument() && !now.isArgument():
		report("can no longer be set")
	case !was.Required && now.Required:
		report("became required")
	}
	if was.Computed && !now.Computed && !now.Required {
		report("is no longer computed: references to it become null")
	}
	for _, one := range []struct {
		was, now         bool
		started, stopped string
	}{
		{was.Sensitive, now.Sensitive, "became sensitive: outputs with it need sensitive = true", "is no longer sensitive: plans and outputs show it"},
		{was.WriteOnly, now.WriteOnly, "became write-only: references to it become null", "is no longer write-only: states contain it"},
		{was.Replaces, now.Replaces, "replaces the resource when it changes", ""},
		{was.Replaces || was.MayReplace || now.Replaces, now.Replaces || now.MayReplace, "can replace the resource when it changes", ""},
	} {
		switch {
		case !one.was && one.now:
			report(one.started)
		case one.was && !one.now && one.stopped != "":
			report(one.stopped)
		}
	}
	if !now.isArgument() || now.Values == nil {
		return
	}
	if was.Values == nil {
		report("accepts only these values now: " + strings.Join(now.Values, ", "))
		return
	}
	for _, value := range was.Values {
		if !slices.Contains(now.Values, value) {
			report(fmt.Sprintf("no longer accepts %q", value))
		}
	}
}

// isPartOfRemoved reports whether a nested attribute above a removed path was removed as well. One sentence is enough for both.
func isPartOfRemoved(path string, was, now Schema) bool {
	above := parent(path)
	if above == "" {
		return false
	}
	if _, remains := now.Attributes[above]; remains {
		return false
	}
	_, existed := was.Attributes[above]
	return existed
}

// existedAbove reports whether path is an attribute of the block itself, or of a nested attribute that configurations could set.
func existedAbove(path string, was Schema) bool {
	above := parent(path)
	if above == "" {
		return true
	}
	attribute, existed := was.Attributes[above]
	return existed && attribute.isArgument()
}

func parent(path string) string {
	return path[:max(strings.LastIndex(path, "."), 0)]
}
