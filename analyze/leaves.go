package analyze

import (
	"encoding/json"
	"strconv"
)

// leaves returns the strings, numbers and booleans in a JSON value, at any depth, as a header would carry them. Numbers
// stand as number writes them.
func leaves(raw []byte) map[string]bool {
	out := map[string]bool{}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		collect(v, out)
	}
	return out
}

func collect(v any, out map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			collect(x, out)
		}
	case []any:
		for _, x := range v {
			collect(x, out)
		}
	case string:
		out[v] = true
	case bool:
		out[strconv.FormatBool(v)] = true
	case float64:
		out[strconv.FormatFloat(v, 'g', -1, 64)] = true
	}
}

// number writes a number in the one form that equal numbers share; what is none comes back as it is.
func number(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
