//! Whitespace control: `~`, and tags that stand alone on their line.

use super::ast::{Bodies, Program, Statement, Strip};
use crate::number::is_js_space;

/// Shortens the texts of a template as its tags demand.
pub(super) fn control(root: &mut Program) {
    control_program(root, true);
}

/// What a tag wants of the texts around it.
#[derive(Default)]
struct Wish {
    strip: Strip,
    /// The line before the opening tag's body begins is free.
    open_standalone: bool,
    /// The line after the last body ends is free.
    close_standalone: bool,
    /// The tag has no body and may stand alone.
    inline_standalone: bool,
}

fn control_program(program: &mut Program, is_root: bool) {
    for index in 0..program.body.len() {
        let Some(wish) = wish(&mut program.body[index]) else { continue };
        let body = &mut program.body;
        let free_before = ends_line(body, index, is_root);
        let free_after = starts_line(body, index + 1, is_root);
        if wish.strip.close {
            omit_right(body, index + 1, Amount::All);
        }
        if wish.strip.open {
            omit_left(body, index, Amount::All);
        }
        if wish.inline_standalone && free_before && free_after {
            omit_right(body, index + 1, Amount::Line);
            if omit_left(body, index, Amount::Line) {
                indent_partial(body, index);
            }
        }
        if wish.open_standalone && free_before {
            if let Some(first) = bodies_of(&mut body[index]).and_then(first_body) {
                omit_right(&mut first.body, 0, Amount::Line);
            }
            omit_left(body, index, Amount::Line);
        }
        if wish.close_standalone && free_after {
            omit_right(body, index + 1, Amount::Line);
            if let Some(last) = bodies_of(&mut body[index]).and_then(last_body) {
                let end = last.body.len();
                omit_left(&mut last.body, end, Amount::Line);
            }
        }
    }
}

fn wish(statement: &mut Statement) -> Option<Wish> {
    match statement {
        Statement::Content(_) => None,
        Statement::Comment(strip) => Some(Wish { strip: *strip, inline_standalone: true, ..Wish::default() }),
        Statement::Mustache { strip, .. } => Some(Wish { strip: *strip, ..Wish::default() }),
        Statement::Block(block) => control_bodies(&mut block.bodies),
        Statement::Partial(partial) => match &mut partial.bodies {
            Some(bodies) => control_bodies(bodies),
            None => Some(Wish { strip: partial.strip, inline_standalone: true, ..Wish::default() }),
        },
        Statement::Decorator(decorator) => match &mut decorator.bodies {
            Some(bodies) => control_bodies(bodies),
            None => Some(Wish { strip: decorator.strip, ..Wish::default() }),
        },
    }
}

fn control_bodies(bodies: &mut Bodies) -> Option<Wish> {
    if let Some(program) = &mut bodies.program {
        control_program(program, false);
    }
    if let Some(inverse) = &mut bodies.inverse {
        control_program(inverse, false);
    }
    let Strip { close: strip_after_open, .. } = bodies.open_strip;
    let (inverse_strip, close_strip) = (bodies.inverse_strip, bodies.close_strip);
    let wish = Strip { open: bodies.open_strip.open, close: close_strip.close };
    let (program, inverse) = match (&mut bodies.program, &mut bodies.inverse) {
        (Some(program), inverse) => (program, inverse.as_mut()),
        (None, Some(inverse)) => (inverse, None),
        (None, None) => return None,
    };
    let open_standalone = starts_line(&program.body, 0, false);
    let Some(inverse) = inverse else {
        let close_standalone = ends_line(&program.body, program.body.len(), false);
        if strip_after_open {
            omit_right(&mut program.body, 0, Amount::All);
        }
        if close_strip.open {
            let end = program.body.len();
            omit_left(&mut program.body, end, Amount::All);
        }
        return Some(Wish { strip: wish, open_standalone, close_standalone, inline_standalone: false });
    };
    let first_inverse = chained_body(inverse, Chain::First);
    let close_standalone = ends_line(&first_inverse.body, first_inverse.body.len(), false);
    if strip_after_open {
        omit_right(&mut program.body, 0, Amount::All);
    }
    let end = program.body.len();
    if inverse_strip.open {
        omit_left(&mut program.body, end, Amount::All);
    }
    if inverse_strip.close {
        omit_right(&mut chained_body(inverse, Chain::First).body, 0, Amount::All);
    }
    if close_strip.open {
        let last = chained_body(inverse, Chain::Last);
        let end = last.body.len();
        omit_left(&mut last.body, end, Amount::All);
    }
    let first_inverse = chained_body(inverse, Chain::First);
    // The else tag stands alone on its line.
    if ends_line(&program.body, end, false) && starts_line(&first_inverse.body, 0, false) {
        omit_left(&mut program.body, end, Amount::Line);
        omit_right(&mut first_inverse.body, 0, Amount::Line);
    }
    Some(Wish { strip: wish, open_standalone, close_standalone, inline_standalone: false })
}

enum Chain {
    First,
    Last,
}

/// The body behind the first, or the last, `{{else name …}}`.
fn chained_body(mut inverse: &mut Program, which: Chain) -> &mut Program {
    while inverse.chained
        && matches!(inverse.body.last(), Some(Statement::Block(block)) if block.bodies.program.is_some())
    {
        let Some(Statement::Block(block)) = inverse.body.last_mut() else {
            unreachable!("the loop condition has seen a block");
        };
        let Some(program) = &mut block.bodies.program else {
            unreachable!("the loop condition has seen its body");
        };
        inverse = program;
        if matches!(which, Chain::First) {
            break;
        }
    }
    inverse
}

fn bodies_of(statement: &mut Statement) -> Option<&mut Bodies> {
    match statement {
        Statement::Block(block) => Some(&mut block.bodies),
        Statement::Partial(partial) => partial.bodies.as_mut(),
        Statement::Decorator(decorator) => decorator.bodies.as_mut(),
        _ => None,
    }
}

fn first_body(bodies: &mut Bodies) -> Option<&mut Program> {
    bodies.program.as_mut().or(bodies.inverse.as_mut())
}

fn last_body(bodies: &mut Bodies) -> Option<&mut Program> {
    bodies.inverse.as_mut().or(bodies.program.as_mut())
}

/// Does the text before `index` end with a fresh line?
fn ends_line(body: &[Statement], index: usize, is_root: bool) -> bool {
    let Some(before) = index.checked_sub(1).and_then(|index| body.get(index)) else { return is_root };
    let Statement::Content(content) = before else { return false };
    let text = content.original.as_str();
    let tail = &text[text.trim_end_matches(is_js_space).len()..];
    let starts_template = is_root && index == 1;
    tail.contains('\n') || (starts_template && tail.len() == text.len())
}

/// Does the text at `index` begin with the end of a line?
fn starts_line(body: &[Statement], index: usize, is_root: bool) -> bool {
    let Some(after) = body.get(index) else { return is_root };
    let Statement::Content(content) = after else { return false };
    let text = content.original.as_str();
    let head = &text[..text.len() - text.trim_start_matches(is_js_space).len()];
    let ends_template = is_root && index + 1 == body.len();
    head.contains('\n') || (ends_template && head.len() == text.len())
}

#[derive(Clone, Copy, PartialEq)]
enum Amount {
    /// All white space.
    All,
    /// Blanks up to the line's end or start.
    Line,
}

/// Removes white space at the start of the text at `index`.
fn omit_right(body: &mut [Statement], index: usize, amount: Amount) {
    let Some(Statement::Content(content)) = body.get_mut(index) else { return };
    if amount == Amount::Line && content.right_stripped {
        return;
    }
    let kept = match amount {
        Amount::All => content.value.trim_start_matches(is_js_space),
        Amount::Line => {
            let text = content.value.trim_start_matches([' ', '\t']);
            let text = text.strip_prefix('\r').unwrap_or(text);
            text.strip_prefix('\n').unwrap_or(text)
        }
    };
    content.right_stripped = kept.len() != content.value.len();
    content.value = kept.to_owned();
}

/// Removes white space at the end of the text before `index`; says whether there was some.
fn omit_left(body: &mut [Statement], index: usize, amount: Amount) -> bool {
    let Some(index) = index.checked_sub(1) else { return false };
    let Some(Statement::Content(content)) = body.get_mut(index) else { return false };
    if amount == Amount::Line && content.left_stripped {
        return false;
    }
    let kept = match amount {
        Amount::All => content.value.trim_end_matches(is_js_space),
        Amount::Line => content.value.trim_end_matches([' ', '\t']),
    };
    content.left_stripped = kept.len() != content.value.len();
    content.value.truncate(kept.len());
    content.left_stripped
}

/// A partial that stands alone indents its lines by the blanks before it.
fn indent_partial(body: &mut [Statement], index: usize) {
    let indent = match index.checked_sub(1).and_then(|before| body.get(before)) {
        Some(Statement::Content(content)) => {
            let text = content.original.as_str();
            text[text.trim_end_matches([' ', '\t']).len()..].to_owned()
        }
        _ => return,
    };
    if let Some(Statement::Partial(partial)) = body.get_mut(index) {
        partial.indent = indent;
    }
}
