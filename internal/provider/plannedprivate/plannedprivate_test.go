package plannedprivate

import (
	"context"
	"encoding/json"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"
)

// request returns a message whose type knows none of its fields, as the types of terraform-plugin-go do not know the fields of Terraform 1.16.
func request(fields map[protowire.Number]string) *emptypb.Empty {
	var data []byte
	for number, value := range fields {
		data = protowire.AppendTag(data, number, protowire.BytesType)
		data = protowire.AppendString(data, value)
	}
	out := &emptypb.Empty{}
	out.ProtoReflect().SetUnknown(data)
	return out
}

func TestIntercept(t *testing.T) {
	t.Parallel()
	state, err := json.Marshal(map[string][]byte{"agreement": []byte(`{"pending":true}`)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		method string
		fields map[protowire.Number]string
		want   string
	}{
		"a plan that is applied": {planMethod, map[protowire.Number]string{1: "fleet_crp", planField: string(state)}, `{"pending":true}`},
		"a first plan":           {planMethod, map[protowire.Number]string{1: "fleet_crp", 5: string(state)}, ""},
		"an apply":               {applyMethod, map[protowire.Number]string{1: "fleet_crp", applyField: string(state)}, `{"pending":true}`},
		"an empty state":         {applyMethod, map[protowire.Number]string{applyField: ""}, ""},
		"another method":         {"/tfplugin6.Provider/ReadResource", map[protowire.Number]string{planField: string(state)}, ""},
	} {
		_, err := Intercept(t.Context(), request(c.fields), &grpc.UnaryServerInfo{FullMethod: c.method}, func(ctx context.Context, _ any) (any, error) {
			state, found := From(ctx)
			value, diags := state.GetKey(ctx, "agreement")
			if string(value) != c.want || found != (c.want != "") || diags.HasError() {
				t.Errorf("%s: %q, found %v", name, value, found)
			}
			return nil, nil //nolint:nilnil // the response is not used
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnreadableState checks that an apply does not begin if the private state of its plan cannot be read.
func TestUnreadableState(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"{", "[]", `{"agreement":7}`} {
		for method, field := range map[string]protowire.Number{planMethod: planField, applyMethod: applyField} {
			storing := protowire.AppendVarint(protowire.AppendTag(nil, storesField, protowire.VarintType), 1)
			fields := map[protowire.Number]string{field: state, capabilitiesField: string(storing)}
			_, err := Intercept(t.Context(), request(fields), &grpc.UnaryServerInfo{FullMethod: method}, func(context.Context, any) (any, error) {
				t.Errorf("%s %s: the request is handled", method, state)
				return nil, nil //nolint:nilnil // the response is not used
			})
			if err == nil {
				t.Errorf("%s %s: no error", method, state)
			}
		}
	}
}

// TestUnreadable checks that an invalid message has no state.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	broken := &emptypb.Empty{}
	broken.ProtoReflect().SetUnknown([]byte{0xff})
	if got := bytesField(broken.ProtoReflect(), planField); got != nil {
		t.Errorf("%q", got)
	}
}

// TestStores checks that the capability of the client is read from a request whose type does not have the field.
func TestStores(t *testing.T) {
	t.Parallel()
	capabilities := func(fields ...protowire.Number) string {
		var data []byte
		for _, number := range fields {
			data = protowire.AppendTag(data, number, protowire.VarintType)
			data = protowire.AppendVarint(data, 1)
		}
		return string(data)
	}
	off := string(protowire.AppendVarint(protowire.AppendTag(nil, storesField, protowire.VarintType), 0))
	for name, c := range map[string]struct {
		method string
		fields map[protowire.Number]string
		want   bool
	}{
		"Terraform 1.16":    {planMethod, map[protowire.Number]string{capabilitiesField: capabilities(1, 2, storesField)}, true},
		"Terraform 1.11":    {planMethod, map[protowire.Number]string{capabilitiesField: capabilities(1, 2)}, false},
		"no capability":     {planMethod, map[protowire.Number]string{1: "fleet_crp"}, false},
		"one that is off":   {planMethod, map[protowire.Number]string{capabilitiesField: off}, false},
		"no capabilities":   {planMethod, map[protowire.Number]string{capabilitiesField: "\xff"}, false},
		"another operation": {applyMethod, map[protowire.Number]string{capabilitiesField: capabilities(storesField)}, false},
	} {
		_, err := Intercept(t.Context(), request(c.fields), &grpc.UnaryServerInfo{FullMethod: c.method}, func(ctx context.Context, _ any) (any, error) {
			if got := Stores(ctx); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
			return nil, nil //nolint:nilnil // the response is not used
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
