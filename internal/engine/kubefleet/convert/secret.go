package convert

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// withheld stands for what is said of a Secret by somebody who may have quoted it.
const withheld = "the message is withheld, as it may quote the Secret"

// quoting are the reasons of an agent that hands on what an API server or a webhook has said of the object as it was sent.
var quoting = []string{
	takeover.ReasonManifestApplyFailed, takeover.ReasonDecodingErred, takeover.ReasonFailedToRunDriftDetection, takeover.ReasonFailedToReportDiff,
}

// failure is why an object has failed. Of a Secret nothing is handed on that may quote it.
func failure(id manifest.Identifier, c placement.Condition) placement.FailedPlacement {
	if id.IsSecret() && c.Message != "" && slices.Contains(quoting, c.Reason) {
		c.Message = withheld
	}
	return placement.FailedPlacement{Identifier: id, Condition: c}
}

// differences are the fields of an object that differ. KubeFleet redacts the values of Secrets itself, and nobody relies on it.
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
