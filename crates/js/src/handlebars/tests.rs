use super::*;
use serde_json::json;

fn render(template: &str, context: &Value) -> String {
    Template::compile(template).unwrap().render(context).unwrap()
}

fn kind(template: &str) -> ErrorKind {
    let context = json!({"char": "Tess", "list": [1], "f": false});
    match Template::compile(template) {
        Err(error) => error.kind(),
        Ok(template) => template.render(&context).unwrap_err().kind(),
    }
}

#[test]
fn unknown_names_survive_and_lose_their_arguments() {
    let context = json!({"char": "Tess"});
    assert_eq!(render("{{getvar::x}} {{roll 1d6}} {{名前}}", &context), "{{getvar::x}} {{roll}} {{名前}}");
    assert_eq!(render("{{char.name}}|{{this.nothing}}|{{#x}}{{this}}{{/x}}", &context), "||{{x}}");
    assert_eq!(render("{{nothis}}", &context), "", "Handlebars takes a word that ends in `this` for a path");
}

#[test]
fn tags_alone_on_a_line_leave_no_line() {
    let context = json!({"a": "x"});
    assert_eq!(render("1\n  {{#if a}}  \n  2\n  {{/if}}\n3", &context), "1\n  2\n3");
    assert_eq!(render("{{#if b}}\n1\n{{else}}\n2\n{{/if}}\n", &context), "2\n");
    assert_eq!(render("a {{~a~}} b", &context), "axb");
}

#[test]
fn contexts_around_and_data() {
    let context = json!({"rows": [{"n": [1, 2]}, {"n": []}], "t": "!"});
    let template = "{{#each rows as |row at|}}{{at}}{{#each n}}({{@../index}}{{@index}}{{../../t}}{{this}}){{else}}-{{/each}}{{/each}}";
    assert_eq!(render(template, &context), "0(00!1)(01!2)1-");
}

#[test]
fn errors_have_kinds_and_lines() {
    assert_eq!(kind("{{#if char}}"), ErrorKind::Syntax);
    assert_eq!(kind("{{#if char}}{{/unless}}"), ErrorKind::Mismatch);
    assert_eq!(kind("{{char 1}}"), ErrorKind::Render);
    assert_eq!(kind("{{#if f}}{{* deco}}{{/if}}"), ErrorKind::Render);
    assert_eq!(Template::compile("a\nb {{").unwrap_err().to_string(), "expected a name (line 2)");
}

#[test]
fn work_is_bounded() {
    let deep = "{{#if char}}".repeat(2000) + &"{{/if}}".repeat(2000);
    assert_eq!(kind(&deep), ErrorKind::Limit);
    assert_eq!(kind(&format!("{{{{x {}{}}}}}", "(a ".repeat(5000), ")".repeat(5000))), ErrorKind::Limit);
    assert_eq!(kind(r#"{{#*inline "p"}}{{> p}}{{/inline}}{{> p}}"#), ErrorKind::Limit);
    let deep_partial = format!(
        r#"{{{{#*inline "p"}}}}{}{{{{> p}}}}{}{{{{/inline}}}}{{{{> p}}}}"#,
        "{{#with .}}".repeat(90),
        "{{/with}}".repeat(90)
    );
    assert_eq!(kind(&deep_partial), ErrorKind::Limit);
    let many = r#"{{#*inline "p"}}{{/inline}}"#.repeat(50_000);
    assert_eq!(render(&many, &json!({})), "");
    let wide = json!({"l": vec![0; 200]});
    let template = "{{#each l}}{{#each @root.l}}{{#each @root.l}}{{this}}{{/each}}{{/each}}{{/each}}";
    assert_eq!(Template::compile(template).unwrap().render(&wide).unwrap_err().kind(), ErrorKind::Limit);
}

#[test]
fn partials_indent_and_take_arguments() {
    let context = json!({"name": "Ann"});
    let template = "{{#*inline \"p\"}}\n{{name}} {{extra}}\n{{/inline}}\n  {{> p extra=\"!\"}}\nend";
    assert_eq!(render(template, &context), "  Ann !\nend");
    assert_eq!(
        render(r#"{{#*inline "l"}}<{{> @partial-block}}>{{/inline}}{{#> l}}{{name}}{{/l}}"#, &context),
        "<Ann>"
    );
}

#[test]
fn templates_are_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&Template::compile("{{char}}").unwrap());
}

#[test]
fn odd_bytes_do_not_panic() {
    for text in [
        "{{é",
        "{{!--é",
        "\\{{é}}",
        "{{[é\\]}}",
        "{{\"é\\\"}}",
        "{{{{é}}}}é{{{{/é}}}}",
        "{{~é~}}",
        "{{else é}}",
    ] {
        let _ = Template::compile(text).map(|template| template.render(&json!({})));
    }
    assert_eq!(kind("a\0{{char}}"), ErrorKind::Syntax);
}
