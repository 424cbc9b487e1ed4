package kubeadmiral_test

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	unowned   = "a host recognizes its objects by a label and keeps no owner references, neither its own nor those of others"
	ownerless = "a host ignores the owners of its own objects, and overwrites the objects"
	replaces  = "a host replaces the whole object under every field manager, so fields that only the member has are lost"
	atOnce    = "a host marks an object with the write that replaces it: a takeover that fails leaves nothing behind"
	brings    = "a host takes a Namespace over whatever the mode"
)

// deviations are the differences between a KubeAdmiral host and KubeFleet, by the groups of cases of the engine contract.
var deviations = enginetest.Deviations{
	"D2 Always, no difference":                                    {Why: unowned, After: marked},
	"D3-422 Always, the apply after the takeover is not accepted": {Why: atOnce, After: enginetest.Unmarked},
	"D11 Always, another owner is allowed":                        {Why: unowned, After: marked},
	"D12 IfNoDiff, another owner is allowed, no difference":       {Why: unowned, After: marked},
	"D15 KubeFleet's, left behind": {
		Why:   "whether an AppliedWork was left behind can only be seen on a hub of KubeFleet: its object is left alone",
		Want:  refused("FailedToTakeOver", enginetest.TakeoverFailed+"the object is already owned by another Fleet AppliedWork object)"),
		After: enginetest.Unmarked,
	},
	"D18 ours, Never by now": {
		Why: replaces + "; who may only read does not know what the host makes of a manifest that changes", Want: &enginetest.Want{Action: takeover.ActionUpdate},
		After: func(c *enginetest.Case) { enginetest.Has("v1 ConfigMap it", nil, "data", "b")(c) },
	},
	"D19 ours, and another owner":            {Why: ownerless, Want: updates()},
	"D20 ours, and another owner is allowed": {Why: unowned, After: marked},
	"D21 ours, and KubeFleet's":              {Why: ownerless, Want: updates()},
	"D23 server-side apply against other managers": {
		Why: replaces, Want: &enginetest.Want{Action: takeover.ActionTakeOver},
	},

	"example: a pre-existing workload, Never":                 {Why: brings, Ends: withNamespace("example: a pre-existing workload, Never")},
	"example: PickN spread over regions":                      {Why: "a host does not spread over labels of clusters", Impossible: true},
	"example: an envelope":                                    {Why: "a host opens no envelopes", Impossible: true},
	"example: an envelope with an object that members reject": {Why: "a host opens no envelopes", Impossible: true},
}

func refused(reason, message string) *enginetest.Want {
	return &enginetest.Want{Reason: reason, Message: message}
}

func updates() *enginetest.Want {
	return &enginetest.Want{Action: takeover.ActionUpdate, Fields: []string{"data.a"}}
}

// marked fails the test unless the object has the label and no owner references.
func marked(c *enginetest.Case) {
	enginetest.Marked(c)
	enginetest.HasOwners(0)(c)
}

// withNamespace returns the end state of an example, except that the Namespace is taken over.
func withNamespace(example string) *enginetest.Ends {
	ends := enginetest.EndsOf(example)
	for cluster, on := range ends.Clusters {
		on.Failed = slices.DeleteFunc(slices.Clone(on.Failed), func(text string) bool { return strings.HasPrefix(text, "v1 Namespace ") })
		ends.Clusters[cluster] = on
	}
	return &ends
}
