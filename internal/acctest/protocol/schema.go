package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// schema is the schema of a block.
type schema struct {
	attributes []*tfprotov6.SchemaAttribute
	of         cty.Type
	spec       hcldec.ObjectSpec
}

// schemas are a provider's schemas. resources and data are by type.
type schemas struct {
	provider        schema
	resources, data map[string]schema
	functions       map[string]*tfprotov6.Function
}

// readSchemas reads the schemas of a provider.
func readSchemas(ctx context.Context, server tfprotov6.ProviderServer) (schemas, error) {
	response, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return schemas{}, err
	}
	if len(response.Diagnostics) > 0 {
		return schemas{}, fmt.Errorf("the schemas: %s", format("", response.Diagnostics[0]))
	}
	out := schemas{resources: map[string]schema{}, data: map[string]schema{}, functions: response.Functions}
	if out.provider, err = newSchema(response.Provider); err != nil {
		return schemas{}, err
	}
	for name, one := range response.ResourceSchemas {
		if out.resources[name], err = newSchema(one); err != nil {
			return schemas{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	for name, one := range response.DataSourceSchemas {
		if out.data[name], err = newSchema(one); err != nil {
			return schemas{}, fmt.Errorf("data.%s: %w", name, err)
		}
	}
	return out, nil
}

// ownSchemas are the schemas of the provider under test. All its processes share them, because creating them takes long.
var ownSchemas = sync.OnceValues(func() (schemas, error) { return readSchemas(context.Background(), newServer()) })

func newSchema(in *tfprotov6.Schema) (schema, error) {
	if len(in.Block.BlockTypes) > 0 {
		return schema{}, errors.New("nested blocks are not supported")
	}
	of, err := typeOf(in.ValueType())
	if err != nil {
		return schema{}, err
	}
	out := schema{attributes: in.Block.Attributes, of: of, spec: hcldec.ObjectSpec{}}
	for _, a := range in.Block.Attributes {
		one := &hcldec.AttrSpec{Name: a.Name, Required: a.Required}
		if one.Type, err = writtenType(a); err != nil {
			return schema{}, err
		}
		out.spec[a.Name] = one
	}
	return out, nil
}

// typeOf converts a type. Both libraries use the protocol's JSON form.
func typeOf(in tftypes.Type) (cty.Type, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return cty.NilType, err
	}
	return ctyjson.UnmarshalType(text)
}

// writtenType returns the type of an attribute in a configuration, where optional attributes may be omitted.
func writtenType(a *tfprotov6.SchemaAttribute) (cty.Type, error) {
	if a.NestedType == nil {
		return typeOf(a.Type)
	}
	fields := map[string]cty.Type{}
	var optional []string
	for _, field := range a.NestedType.Attributes {
		var err error
		if fields[field.Name], err = writtenType(field); err != nil {
			return cty.NilType, err
		}
		if !field.Required {
			optional = append(optional, field.Name)
		}
	}
	object := cty.ObjectWithOptionalAttrs(fields, optional)
	switch a.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeList:
		return cty.List(object), nil
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.Map(object), nil
	case tfprotov6.SchemaObjectNestingModeSet:
		return cty.Set(object), nil
	case tfprotov6.SchemaObjectNestingModeSingle:
		return object, nil
	case tfprotov6.SchemaObjectNestingModeInvalid:
	}
	return cty.NilType, fmt.Errorf("%s is nested in an unknown way", a.Name)
}

// decode evaluates the body of a block. Its errors have Terraform's wording: most are from the library that Terraform uses, too.
func (s schema) decode(body hcl.Body, scope *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	_, arguments, diags := body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "depends_on"}}})
	value, more := hcldec.Decode(arguments, s.spec, scope)
	for _, a := range s.attributes {
		if !a.Required && !a.Optional && !more.HasErrors() && !value.GetAttr(a.Name).IsNull() {
			more = append(more, &hcl.Diagnostic{
				Severity: hcl.DiagError, Summary: "Value for unconfigurable attribute", Detail: fmt.Sprintf("Can't configure a value for %q: "+
					"its value will be decided automatically based on the result of applying this configuration.", a.Name),
			})
		}
	}
	return value, append(diags, more...)
}

// null returns the value of a resource that does not exist.
func (s schema) null() cty.Value { return cty.NullVal(s.of) }

// encode encodes a value for the protocol.
func (s schema) encode(value cty.Value) (*tfprotov6.DynamicValue, error) {
	packed, err := msgpack.Marshal(value, s.of)
	return &tfprotov6.DynamicValue{MsgPack: packed}, err
}

// value decodes a value of the protocol. A missing value is null.
func (s schema) value(in *tfprotov6.DynamicValue) (cty.Value, error) { return unpack(in, s.of) }

func unpack(in *tfprotov6.DynamicValue, of cty.Type) (cty.Value, error) {
	switch {
	case in == nil:
		return cty.NullVal(of), nil
	case len(in.MsgPack) > 0:
		return msgpack.Unmarshal(in.MsgPack, of)
	default:
		return ctyjson.Unmarshal(in.JSON, of)
	}
}
