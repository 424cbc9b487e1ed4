package manifest

import (
	"encoding/json"
	"testing"
)

// TestAppendJSON compares with encoding/json: different output would invalidate the hashes of earlier versions.
func TestAppendJSON(t *testing.T) {
	for _, value := range []any{
		nil, true, false, int64(-7), 1.5, 1e21, json.Number("3"), "", "plain", "a \"quoted\" \\ one", "<b>&amp;</b>", "ümläut \u2028 \x00\x1f\x7f", "\xff",
		map[string]any{}, []any{}, map[string]any(nil), []any(nil), map[string]string{"b": "2", "a": "1"}, []string{"x"},
		map[string]any{"b": []any{int64(1), nil, map[string]any{"z": "1", "a<": "2"}}, "a": 2.0, "": ""},
	} {
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendJSON(nil, value); string(got) != string(want) {
			t.Errorf("%#v: %s, want %s", value, got, want)
		}
	}
}

func FuzzAppendJSON(f *testing.F) {
	f.Add(`{"a":[1,2.5,"x",null,{"b":"<"}],"\u2028":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			t.Skip()
		}
		want, err := json.Marshal(value)
		if err != nil {
			t.Skip()
		}
		if got := appendJSON(nil, value); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
