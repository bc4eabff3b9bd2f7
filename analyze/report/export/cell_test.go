package export

import "testing"

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"POST /mcp?q=\"a\\b\"": "POST /mcp?q=\"a\\b\"",
		"=cmd|' /C calc'!A0 /": "'=cmd|' /C calc'!A0 /",
		"@SUM(1) /":            "'@SUM(1) /",
		"GET /\x1b[2J":         `GET /\x1b[2J`,
		"GET /\u202ea\u200b":   `GET /\u202ea\u200b`,
		"GET /\xff\r\nx":       `GET /\xff\r\nx`,
		"GET /ü":               "GET /ü",
		"":                     "",
	} {
		if got := cell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
