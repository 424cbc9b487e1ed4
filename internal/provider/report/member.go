package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

func describeRemaining(name string) string {
	return fmt.Sprintf("The placed objects remain on the cluster, and so do the provider's records in the namespace fleet-system. One of the records, the ConfigMap "+
		"member-cluster, registers the cluster: it stays a member of the fleet wherever the provider argument \"members\" has a connection to it. To manage the "+
		"member again, import its fleet_member_cluster with the ID %q.", name)
}

// MemberRemovedFromState warns about a member that was removed from the state, and not from its cluster.
func MemberRemovedFromState(diags *diag.Diagnostics, name string, err error) {
	why := strings.TrimSuffix(model.About(name, err.Error()), ".")
	if _, missing := errors.AsType[*engine.NotConfiguredError](err); missing {
		why = "the provider has no connection to it any more"
	}
	diags.AddWarning(fmt.Sprintf("The member cluster %q was removed from the state only", name),
		"Nothing was written to the cluster: "+why+".\n\n"+describeRemaining(name))
}

// UnreachableMember warns about a removed member from which nothing can be read. removes reports whether the apply still removes the member from the state.
// onError reports whether delete_options prevents this removal. The warning contains the error only if the run shows it for the first time.
func UnreachableMember(diags *diag.Diagnostics, name string, err error, removes, onError bool, first func(text string) bool) {
	why := plain.SameError
	if plain.IsFirstError([]string{name}, model.RootCause(err), first) {
		why = "The error is: " + strings.TrimSuffix(model.About(name, err.Error()), ".") + "."
	}
	title, text := fmt.Sprintf("The member cluster %q cannot be reached, and will be removed from the state only", name),
		"If the cluster responds when this is applied, the apply also deletes its registration. Otherwise it writes nothing to the cluster. "+why+"\n\n"+describeRemaining(name)
	if !removes {
		title = fmt.Sprintf("The membership of %q cannot be ended now", name)
		text = "Unless the cluster can be checked when this is applied, the apply returns an error, and the member stays in the state. " + why
	}
	if onError {
		text += "\n\nTo remove an unreachable member from the state, apply delete_options = { on_unreachable = \"Forget\" } first."
	}
	diags.AddAttributeWarning(path.Root("name"), title, text)
}

// ReleasedMember warns about a member that another system has created and whose resource is removed.
func ReleasedMember(diags *diag.Diagnostics, name string) {
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The member cluster %q stays in the fleet", name),
		"Another system created it (adopt_existing): only the labels, annotations and taints that this resource set on it are removed. Placements that select "+
			"the member by them may no longer pick it.")
}

// ReachedOtherwise warns about a member that a hub reaches differently than the provider does. warning is the engine's description of the difference. If it is
// "", ReachedOtherwise adds nothing.
func ReachedOtherwise(diags *diag.Diagnostics, name, warning string) {
	if warning != "" {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The host cluster and the provider connect to %q differently", name), printable.Cut(warning, 800)+".")
	}
}

// OverwrittenKeys warns about the values of another system that an adopted member loses. It adds nothing if lost is empty.
func OverwrittenKeys(diags *diag.Diagnostics, name string, lost []string) {
	if len(lost) == 0 {
		return
	}
	lines := &plain.Section{Unit: "line", Title: "Another system set these values, and the apply overwrites them:"}
	for _, one := range lost {
		lines.Add("  " + model.Message(one))
	}
	lines.Tail = []string{"A destroy removes the keys, and does not restore the values. To keep a value, remove its key from the configuration."}
	diags.AddAttributeWarning(path.Root("adopt_existing"), fmt.Sprintf("The member cluster %q loses values of another system", model.Name(name)),
		plain.Layout(lines))
}

// NothingToAdopt warns about a member that another system has not created yet.
func NothingToAdopt(diags *diag.Diagnostics, name string) {
	diags.AddAttributeWarning(path.Root("adopt_existing"), fmt.Sprintf("The member cluster %q does not exist yet", name),
		"The hub has no MemberCluster of that name. With adopt_existing, another system must create it. The apply returns an error unless it exists by then: if "+
			"this configuration creates it, add that resource to depends_on.")
}

// UnconnectedMember warns about a member that the engine cannot read or change. removing reports whether the plan removes the member.
func UnconnectedMember(diags *diag.Diagnostics, name string, limitation engine.Limitation, removing bool) {
	if removing {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The member cluster %q will be removed from the state only", name),
			"Nothing is written to the cluster: the provider has no connection to it any more.\n\n"+describeRemaining(name))
		return
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The member cluster %q could not be checked", name), limitation.Message+
		" To remove the member from the fleet, remove its resource from the configuration.")
}

// Unconnected warns that a placement has objects on a cluster to which the provider has no connection any more. title is the quoted name of the placement.
// Terraform shows one of several such warnings about a cluster, because their summaries are equal.
func Unconnected(diags *diag.Diagnostics, cluster, title string) {
	cluster = model.Name(cluster)
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The status of placements no longer contains the cluster %q", cluster), fmt.Sprintf(
		"The provider argument \"members\" does not have %q any more. The objects of placement %s remain there, with the placement's record. If the cluster gets a "+
			"connection again, the record lists them.", cluster, title))
}

// MemberUnread warns about a member that a refresh could not read. The warning contains the error only if the run shows it for the first time.
func MemberUnread(diags *diag.Diagnostics, name string, err error, first func(text string) bool) {
	text := plain.SameError
	if plain.IsFirstError([]string{name}, model.RootCause(err), first) {
		text = explain(err)
	}
	diags.AddAttributeWarning(path.Root("name"), "The member cluster \""+model.Name(name)+"\" could not be read", text)
}
