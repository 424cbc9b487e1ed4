package acctest

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

func TestMemberClusterValidation(t *testing.T) {
	clusters.Need(t, fleet.Env)
	for name, c := range map[string]struct{ body, want string }{
		"name too long": {`name = "a123456789-123456789-123456789-123456789-1234567890"`, `at most 50`},
		"label":         {"name = \"member-1\"\nlabels = { \"a b\" = \"c\" }", `label\s+key\s+"a b"\s+is\s+not\s+valid`},
		"same taint":    {"name = \"member-1\"\ntaints = [{key=\"a\",effect=\"NoSchedule\"},{key=\"a\",effect=\"NoSchedule\"}]", `same\s+taint`},
		"effect":        {"name = \"member-1\"\ntaints = [{key=\"a\",effect=\"NoExecute\"}]", `NoSchedule`},
	} {
		t.Run(name, func(t *testing.T) {
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: harness.Factories, Steps: []resource.TestStep{{
				Config:      fleet.Provider(fleet.Env.Kubeconfig) + "resource \"fleet_member_cluster\" \"one\" {\n" + c.body + "\n}\n",
				ExpectError: regexp.MustCompile(c.want),
			}}})
		})
	}
}
