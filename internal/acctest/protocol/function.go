package protocol

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// Call calls a function of the provider with strings. It needs no provider configuration.
func Call(ctx context.Context, name string, arguments ...string) (cty.Value, error) {
	values := make([]cty.Value, len(arguments))
	for i, argument := range arguments {
		values[i] = cty.StringVal(argument)
	}
	return CallWith(ctx, name, values...)
}

// CallWith calls a function of the provider with values of any type.
func CallWith(ctx context.Context, name string, arguments ...cty.Value) (cty.Value, error) {
	known, err := ownSchemas()
	if err != nil {
		return cty.NilVal, err
	}
	described, found := known.functions[name]
	if !found || len(described.Parameters) != len(arguments) {
		return cty.NilVal, fmt.Errorf("no function %s has %d parameters", name, len(arguments))
	}
	request := &tfprotov6.CallFunctionRequest{Name: name}
	for _, argument := range arguments {
		packed, err := msgpack.Marshal(argument, argument.Type())
		if err != nil {
			return cty.NilVal, err
		}
		request.Arguments = append(request.Arguments, &tfprotov6.DynamicValue{MsgPack: packed})
	}
	response, err := newServer().CallFunction(ctx, request)
	if err != nil {
		return cty.NilVal, err
	}
	if response.Error != nil {
		return cty.NilVal, errors.New(response.Error.Text)
	}
	of, err := typeOf(described.Return.Type)
	if err != nil {
		return cty.NilVal, err
	}
	return unpack(response.Result, of)
}
