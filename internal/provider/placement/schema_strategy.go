package placement

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

func strategyAttribute() schema.SingleNestedAttribute {
	bound := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: description + " A number, or a percentage such as `25%` (the default).",
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "How changes are rolled out to the clusters.",
		Attributes: map[string]schema.Attribute{
			"type": enumAttribute[domain.StrategyType]("What drives the rollout."),
			"rolling_update": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Limits how many clusters change at the same time. The first placement is created on as many " +
					"clusters as `max_surge` allows. A change is rolled out cluster by cluster, and stops if a cluster fails.",
				Attributes: map[string]schema.Attribute{
					"max_unavailable": bound("Maximum number of clusters without an available placement."),
					"max_surge":       bound("Maximum number of clusters that are added at the same time."),
					"unavailable_period_seconds": schema.Int32Attribute{
						Optional: true, CustomType: wholenumber.Type{}, MarkdownDescription: "Seconds for which a changed cluster must be available before the rollout " +
							"changes the next one, if the availability of an object cannot be determined, as with a HorizontalPodAutoscaler or a custom resource. The default is 60.",
					},
				},
			},
			"apply_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "How objects are written, and how pre-existing objects are treated.",
				Attributes: map[string]schema.Attribute{
					"type": enumAttribute[domain.ApplyType]("How objects are written."),
					"comparison_option": schema.StringAttribute{
						Optional: true, MarkdownDescription: "Which fields count as a difference: those that the placed object sets (`PartialComparison`, the " +
							"default), or all (`FullComparison`). `partialComparison` and `fullComparison` mean the same.",
						Validators:    enum.Validators[domain.ComparisonOption](domain.ComparisonOption("").Aliases()...),
						PlanModifiers: []planmodifier.String{keepSpelling{}},
					},
					"when_to_apply": enumAttribute[domain.WhenToApply]("Whether objects that were changed on the member are overwritten."),
					"when_to_take_over": enumAttribute[domain.WhenToTakeOver]("Whether a pre-existing object is taken over: always, only if it does " +
						"not differ, or never."),
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
				Optional: true, MarkdownDescription: "What happens to the objects when the placement is destroyed. Engine `direct`: objects that " +
					"were taken over always remain. Engine `kubefleet`: the hub also deletes objects that were taken over, and a Namespace with " +
					"everything in it. The hub does not support `Abandon`: the provider releases the objects on the members before it destroys the " +
					"placement, and needs a connection to each member with objects of the placement, with the right to `patch` them. Engine " +
					"`kubeadmiral`: the host keeps objects that it took over, and with `Abandon` all objects.",
				Attributes: map[string]schema.Attribute{
					"propagation_policy": enumAttribute[domain.DeletePropagation]("What happens to objects that the placement created."),
					"contents": enumAttribute[domain.DeleteContents]("An argument of this provider, not a field of KubeFleet. What happens when a " +
						"Namespace or a CustomResourceDefinition that the placement created is to be deleted, and contains other objects. With " +
						"`Keep`, the provider lists the contents in the plan, and again right before the deletion. If they include an object that is " +
						"not deleted as well, or if the credentials may not list a kind, the Namespace or definition remains on the cluster, and the " +
						"placement no longer manages it. If the API server cannot list a kind at the moment, the apply or the destroy fails, and the " +
						"next one checks again. Pre-existing objects count, and so do objects that were not taken over or that the placement no " +
						"longer manages, and PersistentVolumeClaims of a StatefulSet. Objects that are deleted with their owner do not count, nor do " +
						"Events, Leases and what a cluster creates in every Namespace (ServiceAccount `default`, ConfigMap `kube-root-ca.crt`). With " +
						"`Delete`, all contents are deleted as well, and the plan names them. Objects of other placements of this provider prevent " +
						"the deletion in either case."),
				},
			},
			"report_back_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Whether the hub copies the status of members' objects back. Engine `direct`: not supported. " +
					"Engine `kubeadmiral`: only `Disabled`, because the host decides on its own.",
				Attributes: map[string]schema.Attribute{
					"type": enumAttribute[domain.ReportBackType]("Whether the status is copied."),
					"destination": schema.StringAttribute{
						Optional: true, MarkdownDescription: enum.OneOf[domain.ReportBackDestination]() + ", for `Mirror`.",
					},
				},
			},
		},
	}
}

// enumAttribute returns the schema of an enumeration with a default.
func enumAttribute[T enum.Enumeration](description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: description + " " + enum.OneOfWithDefault[T]() + ".",
	}
}
