package convert

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// withheld replaces a message that may quote a Secret.
const withheld = "the message is withheld, because it may quote the Secret"

// withheldOverride replaces a message that may quote a sensitive value of an override that could not be read.
const withheldOverride = "the message is withheld, because it may quote a sensitive value and the overrides on the hub could not be read"

// Conceal returns a status with all hidden values removed from the differences of objects, and from the messages about objects and clusters. hide returns the
// hidden values of an object on a cluster.
func Conceal(in placement.Status, hide func(cluster string, object manifest.Identifier) diff.Hidden) placement.Status {
	return eachCluster(in, func(name string, c placement.ClusterStatus) placement.ClusterStatus {
		var all []diff.Hidden
		add := func(id manifest.Identifier) diff.Hidden {
			hidden := hide(name, id)
			all = append(all, hidden)
			return hidden
		}
		for _, id := range in.SelectedResources {
			add(id)
		}
		c.FailedPlacements = each(c.FailedPlacements, func(f placement.FailedPlacement) placement.FailedPlacement {
			f.Condition.Message = add(f.Identifier).Text(f.Condition.Message)
			return f
		})
		c.DriftedPlacements = each(c.DriftedPlacements, func(d placement.DriftedPlacement) placement.DriftedPlacement {
			d.ObservedDrifts = add(d.Identifier).Patches(d.ObservedDrifts)
			return d
		})
		c.DiffedPlacements = each(c.DiffedPlacements, func(d placement.DiffedPlacement) placement.DiffedPlacement {
			d.ObservedDiffs = add(d.Identifier).Patches(d.ObservedDiffs)
			return d
		})
		c.Conditions = each(c.Conditions, func(c placement.Condition) placement.Condition {
			for _, hidden := range all {
				c.Message = hidden.Text(c.Message)
			}
			return c
		})
		return c
	})
}

// Withhold returns a status without the values of differences, and without messages that may quote an object or an override. It is for a status that may
// quote unknown sensitive values.
func Withhold(in placement.Status) placement.Status {
	all := diff.NewHidden(diff.HiddenField{})
	return eachCluster(in, func(_ string, c placement.ClusterStatus) placement.ClusterStatus {
		c.FailedPlacements = each(c.FailedPlacements, WithholdFailure)
		c.DriftedPlacements = each(c.DriftedPlacements, func(d placement.DriftedPlacement) placement.DriftedPlacement {
			d.ObservedDrifts = all.Patches(d.ObservedDrifts)
			return d
		})
		c.DiffedPlacements = each(c.DiffedPlacements, func(d placement.DiffedPlacement) placement.DiffedPlacement {
			d.ObservedDiffs = all.Patches(d.ObservedDiffs)
			return d
		})
		c.Conditions = each(c.Conditions, func(c placement.Condition) placement.Condition {
			if c.Type == placement.Overridden && c.Status == placement.False {
				c.Message = withheldOverride
			}
			return c
		})
		return c
	})
}

// WithholdFailure returns f, with the message replaced if the message may quote the object.
func WithholdFailure(f placement.FailedPlacement) placement.FailedPlacement {
	if mayQuote(f.Condition) {
		f.Condition.Message = withheldOverride
	}
	return f
}

func eachCluster(in placement.Status, change func(name string, c placement.ClusterStatus) placement.ClusterStatus) placement.Status {
	clusters := map[string]placement.ClusterStatus{}
	for name, c := range in.Clusters {
		clusters[name] = change(name, c)
	}
	in.Clusters = clusters
	return in
}

// quoting are the reasons whose messages contain the response of an API server or a webhook to the object that the agent sent. Such a response may quote the
// object.
var quoting = []string{
	takeover.ReasonManifestApplyFailed, takeover.ReasonDecodingErred, takeover.ReasonFailedToRunDriftDetection, takeover.ReasonFailedToReportDiff,
}

// mayQuote reports whether the message of a condition may quote the object. The message of a failed takeover is either a text of the agent (see foundByAgent),
// or the response of an API server to a dry run or a write of the agent.
func mayQuote(c placement.Condition) bool {
	if c.Reason == takeover.ReasonFailedToTakeOver {
		return !slices.ContainsFunc(foundByAgent, func(words string) bool {
			return strings.HasPrefix(c.Message, "Failed to apply the manifest (error: "+words)
		})
	}
	return slices.Contains(quoting, c.Reason)
}

// foundByAgent are the prefixes of messages about takeovers that fail without a response of an API server.
var foundByAgent = []string{
	"cannot take over object: configuration differences are found", "failed to take over a pre-existing object: the object is already owned by ",
}

// failure returns the failure of an object. For a Secret, it replaces a message that may quote the Secret.
func failure(id manifest.Identifier, c placement.Condition) placement.FailedPlacement {
	if id.IsSecret() && c.Message != "" && mayQuote(c) {
		c.Message = withheld
	}
	return placement.FailedPlacement{Identifier: id, Condition: c}
}

// differences returns the fields of an object that differ, with the values of a Secret redacted. It does not rely on the redaction by KubeFleet.
func differences(id manifest.Identifier, details []placement.PatchDetail) []placement.PatchDetail {
	if !id.IsSecret() {
		return details
	}
	for i := range details {
		d := &details[i]
		if !slices.ContainsFunc([]string{"/data", "/stringData", "/metadata/annotations"}, func(at string) bool { return strings.HasPrefix(d.Path, at) }) {
			continue
		}
		for _, value := range []*string{&d.ValueInHub, &d.ValueInMember} {
			if *value != "" {
				*value = diff.Redacted
			}
		}
	}
	return details
}
