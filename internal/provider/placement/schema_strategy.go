package placement

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

const (
	contentsDescription = "What happens to a Namespace or CustomResourceDefinition that the placement created, if it is to be deleted and contains other " +
		"objects"
	contentsDetails = "With `Keep`, it remains on the cluster, and the placement no longer manages it. With `Delete`, all contents are deleted as well, and " +
		"the plan names them. Engine `direct` only: KubeFleet does not have this argument, and with the other engines it is an error. The provider checks the " +
		"contents in the plan, and again right before the deletion. Contents are all objects that the same run does not delete: pre-existing objects, objects " +
		"that the placement does not manage, and PersistentVolumeClaims of a StatefulSet. Objects that are deleted with their owner, Events, Leases, and " +
		"objects that a cluster creates in every Namespace (ServiceAccount `default`, ConfigMap `kube-root-ca.crt`) are ignored. With `Keep`, the Namespace or " +
		"CustomResourceDefinition also remains if the credentials do not allow listing a kind. If the API server temporarily cannot list a kind, the apply or " +
		"the destroy fails, and the next one checks again. With both values, objects of other placements of this provider prevent the deletion."
)

func strategyAttribute() schema.SingleNestedAttribute {
	bound := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: description + " A number, or a percentage such as `25%` (the default), rounded up.",
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "How changes are rolled out to the clusters.",
		Attributes: map[string]schema.Attribute{
			"type": enumAttribute[domain.StrategyType]("What drives the rollout", "With `External`, only a `fleet_staged_update_run` rolls out the "+
				"placement (engine `kubefleet`)."),
			"rolling_update": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Limits how many clusters change at the same time. The first version of a placement is created " +
					"on all clusters at the same time. An update changes only as many clusters at a time as `max_unavailable` allows, and " +
					"stops if too many clusters are unavailable.",
				Attributes: map[string]schema.Attribute{
					"max_unavailable": bound("Maximum number of clusters without an available placement."),
					"max_surge": bound("If the placement moves to other clusters: maximum number of new clusters that get the placement before it is " +
						"removed from the former clusters."),
					"unavailable_period_seconds": schema.Int32Attribute{
						Optional: true, CustomType: wholenumber.Type{}, MarkdownDescription: "Seconds that the rollout waits after it has changed a " +
							"cluster, if the availability of an object there cannot be determined. Examples of these objects are a " +
							"HorizontalPodAutoscaler and a custom resource. The default is 60.",
					},
				},
			},
			"apply_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "How objects are written, and how pre-existing objects are treated.",
				Attributes: map[string]schema.Attribute{
					"type": enumAttribute[domain.ApplyType]("How objects are written", "`ReportDiff` writes no objects and only reports the differences."),
					"comparison_option": schema.StringAttribute{
						Optional: true, MarkdownDescription: "Which fields count as a difference: those that the placed object sets (`PartialComparison`, the " +
							"default), or all (`FullComparison`). The spellings `partialComparison` and `fullComparison` are also accepted.",
						Validators:    enum.Validators[domain.ComparisonOption](domain.ComparisonOption("").Aliases()...),
						PlanModifiers: []planmodifier.String{keepSpelling{}},
					},
					"when_to_apply": enumAttribute[domain.WhenToApply]("Whether objects that were changed on the member are overwritten"),
					"when_to_take_over": enumAttribute[domain.WhenToTakeOver]("Whether a pre-existing object is taken over", "With `IfNoDiff`, it is "+
						"taken over only if it does not differ from the object to be placed."),
					"allow_co_ownership": schema.BoolAttribute{
						Optional: true, MarkdownDescription: "Whether objects with owner references can be taken over. The default is `false`.",
					},
					"server_side_apply_config": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "For `ServerSideApply` only.",
						Attributes: map[string]schema.Attribute{
							"force": schema.BoolAttribute{
								Optional: true, MarkdownDescription: "Whether the apply takes over fields of other field managers. The default is " +
									"`false`.",
							},
						},
					},
				},
			},
			"delete_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "What happens to the objects when the placement is destroyed. Engines `direct` and " +
					"`kubeadmiral`: objects that were taken over remain. Engine `direct` with `contents = \"Delete\"`: an object that was taken over is " +
					"deleted with the Namespace or CustomResourceDefinition that contains it. Engine `kubefleet`: the hub also deletes objects that were " +
					"taken over, and a Namespace with everything in it. KubeFleet ignores `propagation_policy = \"Abandon\"`, so the provider keeps the " +
					"objects on the members. This needs a connection to each member that has objects of the placement, and the right to `patch` these objects.",
				Attributes: map[string]schema.Attribute{
					"propagation_policy": enumAttribute[domain.DeletePropagation]("What happens to objects that the placement created"),
					"contents":           enumAttribute[domain.DeleteContents](contentsDescription, contentsDetails),
				},
			},
			"report_back_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Whether the hub copies the status of members' objects back. Engine `direct`: only `Disabled`. Engine " +
					"`kubeadmiral`: only `Disabled`, without effect. A host cluster always copies the status of Deployments, StatefulSets, Jobs and Pods.",
				Attributes: map[string]schema.Attribute{
					"type": enumAttribute[domain.ReportBackType]("Whether the status is copied"),
					"destination": schema.StringAttribute{
						Optional: true, MarkdownDescription: "Where `Mirror` copies the status to: " + enum.OneOf[domain.ReportBackDestination]() + ". " +
							"`OriginalResource` is the object on the hub. `WorkAPI` is the Work object of the cluster on the hub.",
					},
				},
			},
		},
	}
}

// enumAttribute describes an attribute as "DESCRIPTION: VALUES. DETAILS". The details are sentences.
func enumAttribute[T enum.Enumeration](description string, details ...string) schema.StringAttribute {
	text := description + ": " + enum.OneOfWithDefault[T]() + "."
	return schema.StringAttribute{Optional: true, MarkdownDescription: strings.Join(append([]string{text}, details...), " ")}
}
