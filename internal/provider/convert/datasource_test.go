package convert_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
)

// TestArgumentsAreThoseOfTheResource checks that the arguments of the data source have the types, validators and descriptions of the resource.
func TestArgumentsAreThoseOfTheResource(t *testing.T) {
	in := placement.ArgumentAttributes()
	out, err := convert.DataSource(in)
	if err != nil {
		t.Fatal(err)
	}
	if checked := compare(t, "", in, out); checked == 0 {
		t.Errorf("no attribute has validators: %d", checked)
	}
}

// compare returns how many attributes have validators.
func compare(t *testing.T, at string, in map[string]resource.Attribute, out map[string]schema.Attribute) int {
	t.Helper()
	checked := 0
	if len(in) != len(out) {
		t.Errorf("%s: %d attributes of %d", at, len(out), len(in))
	}
	for name, from := range in {
		here, to := at+"."+name, out[name]
		if to == nil {
			t.Errorf("%s is missing", here)
			continue
		}
		if !from.GetType().Equal(to.GetType()) {
			t.Errorf("%s is %s instead of %s", here, to.GetType(), from.GetType())
		}
		if from.IsRequired() != to.IsRequired() || from.IsOptional() != to.IsOptional() || to.IsComputed() || from.GetMarkdownDescription() != to.GetMarkdownDescription() {
			t.Errorf("%s differs from the resource", here)
		}
		validators := validatorsOf(from)
		if got := validatorsOf(to); got != validators {
			t.Errorf("%s has %d validators instead of %d", here, got, validators)
		}
		if validators > 0 {
			checked++
		}
		switch from := from.(type) {
		case resource.SingleNestedAttribute:
			checked += compare(t, here, from.Attributes, to.(schema.SingleNestedAttribute).Attributes)
		case resource.ListNestedAttribute:
			checked += compare(t, here, from.NestedObject.Attributes, to.(schema.ListNestedAttribute).NestedObject.Attributes)
		}
	}
	return checked
}

func validatorsOf(attribute any) int {
	switch a := attribute.(type) {
	case resource.StringAttribute:
		return len(a.Validators)
	case schema.StringAttribute:
		return len(a.Validators)
	case resource.Int32Attribute:
		return len(a.Validators)
	case schema.Int32Attribute:
		return len(a.Validators)
	case resource.Int64Attribute:
		return len(a.Validators)
	case schema.Int64Attribute:
		return len(a.Validators)
	case resource.MapAttribute:
		return len(a.Validators)
	case schema.MapAttribute:
		return len(a.Validators)
	case resource.ListAttribute:
		return len(a.Validators)
	case schema.ListAttribute:
		return len(a.Validators)
	case resource.ListNestedAttribute:
		return len(a.Validators)
	case schema.ListNestedAttribute:
		return len(a.Validators)
	default:
		return 0
	}
}

func TestArgumentOfAnotherKind(t *testing.T) {
	_, err := convert.DataSource(map[string]resource.Attribute{"outer": resource.SingleNestedAttribute{
		Optional: true, Attributes: map[string]resource.Attribute{"number": resource.NumberAttribute{Optional: true}},
	}})
	if err == nil || err.Error() != "outer: number: a data source cannot have a schema.NumberAttribute of a resource" {
		t.Errorf("%v", err)
	}
}
