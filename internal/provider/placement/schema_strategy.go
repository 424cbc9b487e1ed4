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
			Optional: true, MarkdownDescription: description + " A number, or a percentage such as `25%`, which is the default.",
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "How changes reach the clusters.",
		Attributes: map[string]schema.Attribute{
			"type": enumAttribute[domain.StrategyType]("Who drives the rollout."),
			"rolling_update": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "How many clusters change at once. The first placement goes to all clusters that `max_surge` allows at once; a change goes from cluster to " +
					"cluster, and stops where it fails.",
				Attributes: map[string]schema.Attribute{
					"max_unavailable": bound("How many clusters may be without a working placement at once."),
					"max_surge":       bound("How many clusters may be added at once."),
					"unavailable_period_seconds": schema.Int32Attribute{
						Optional: true, CustomType: wholenumber.Type{}, MarkdownDescription: "Seconds for which a changed cluster must be available before the rollout " +
							"changes the next one, if the availability of an object cannot be determined, as with a HorizontalPodAutoscaler or a custom resource. The default is 60.",
					},
				},
			},
			"apply_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "How objects are written, and what happens to those that exist already.",
				Attributes: map[string]schema.Attribute{
					"type": enumAttribute[domain.ApplyType]("How objects are written."),
					"comparison_option": schema.StringAttribute{
						Optional: true, MarkdownDescription: "Which fields count as a difference: those that the placed object sets (`PartialComparison`, the " +
							"default), or all (`FullComparison`). `partialComparison` and `fullComparison` mean the same.",
						Validators:    enum.Validators[domain.ComparisonOption](domain.ComparisonOption("").Aliases()...),
						PlanModifiers: []planmodifier.String{keepSpelling{}},
					},
					"when_to_apply": enumAttribute[domain.WhenToApply]("Whether objects are overwritten that were changed on the member."),
					"when_to_take_over": enumAttribute[domain.WhenToTakeOver]("What happens to an object that exists already and is not the " +
						"placement's own: it is taken over and written, taken over only if it does not differ, or left alone."),
					"allow_co_ownership": schema.BoolAttribute{
						Optional: true, MarkdownDescription: "Whether objects may be taken over that have owner references. The default is `false`.",
					},
					"server_side_apply_config": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "For `ServerSideApply` only.",
						Attributes: map[string]schema.Attribute{
							"force": schema.BoolAttribute{
								Optional: true, MarkdownDescription: "Whether fields are taken from other managers. The default is `false`.",
							},
						},
					},
				},
			},
			"delete_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "What happens to the objects when the placement goes. With the engine `direct`, objects that were there before it always stay. " +
					"A hub of KubeFleet deletes what it has taken over, too, a Namespace with everything in it. It does not act upon `Abandon`: the provider sees to it " +
					"on the members before it destroys a placement, for which it needs a connection to each that has something of it, with a right to `patch` the objects. " +
					"A host of KubeAdmiral keeps what it has taken over, and under `Abandon` everything.",
				Attributes: map[string]schema.Attribute{
					"propagation_policy": enumAttribute[domain.DeletePropagation]("What happens to objects that the placement created."),
					"contents": enumAttribute[domain.DeleteContents]("Of this provider, not a field of KubeFleet. What happens when a Namespace or a CustomResourceDefinition that the placement created is " +
						"to be deleted, and contains objects of others. With `Keep`, the provider lists the contents in the plan, and again right before the deletion. If they " +
						"include an object that is not deleted as well, or if the credentials may not list a kind, the Namespace or definition remains on the cluster, and " +
						"the placement no longer manages it. If the API server cannot list a kind at the moment, the apply or the destroy fails, and the next one checks " +
						"again. Pre-existing objects count, and so do objects that were not taken over or that the placement no longer manages, and " +
						"PersistentVolumeClaims of a StatefulSet. Objects that are deleted with their owner do not count, nor do Events, Leases and what a cluster creates in " +
						"every Namespace (ServiceAccount `default`, ConfigMap `kube-root-ca.crt`). With `Delete`, all contents are deleted as well, and the plan names " +
						"them. Objects of other placements of this provider prevent the deletion in either case."),
				},
			},
			"report_back_strategy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Whether a hub copies the status of members' objects back. The `direct` engine has nowhere to copy it to, and " +
					"a host of KubeAdmiral decides it by itself.",
				Attributes: map[string]schema.Attribute{
					"type": enumAttribute[domain.ReportBackType]("Whether it is copied."),
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
