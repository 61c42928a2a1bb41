//! The messages of the chat.

use super::super::chat::MessageView;
use super::super::registry::Registry;
use super::{Invocation, builtin};

pub(super) fn register(registry: &mut Registry) {
    registry.register(builtin(&["lastMessage"], 0, 0, |call| Ok(last_text(call, |_| true))));
    registry.register(builtin(&["lastMessageId"], 0, 0, |call| {
        Ok(last(call, |_| true).map_or_else(String::new, |(id, _)| id.to_string()))
    }));
    registry.register(builtin(&["lastUserMessage"], 0, 0, |call| {
        Ok(last_text(call, |message| message.is_user && !message.is_system))
    }));
    registry.register(builtin(&["lastCharMessage"], 0, 0, |call| {
        Ok(last_text(call, |message| !message.is_user && !message.is_system))
    }));
    registry.register(builtin(&["firstIncludedMessageId"], 0, 0, |call| {
        Ok(call.environment().first_included_message.map_or_else(String::new, |id| id.to_string()))
    }));
    registry.register(builtin(&["firstDisplayedMessageId"], 0, 0, |call| {
        Ok(call.environment().first_displayed_message.map_or_else(String::new, |id| id.to_string()))
    }));
    registry.register(builtin(&["lastSwipeId"], 0, 0, |call| {
        Ok(newest(call)
            .and_then(|message| message.swipes)
            .map_or_else(String::new, |count| count.to_string()))
    }));
    registry.register(builtin(&["currentSwipeId"], 0, 0, |call| {
        let shown = newest(call).and_then(|message| message.swipe_id);
        Ok(shown.map_or_else(String::new, |id| id.saturating_add(1).to_string()))
    }));
    registry.register(builtin(&["allChatRange"], 0, 0, |call| {
        let count = call.environment().chat.map_or(0, |chat| chat.len());
        Ok(if count == 0 { String::new() } else { format!("0-{}", count - 1) })
    }));
}

/// The newest message that fits and has a text: one whose swipe is only being made has none.
fn last<'e>(
    call: &Invocation<'_, 'e>,
    fits: impl Fn(&MessageView<'_>) -> bool,
) -> Option<(usize, MessageView<'e>)> {
    let chat = call.environment().chat?;
    (0..chat.len())
        .rev()
        .filter_map(|id| Some((id, chat.message(id)?)))
        .find(|(_, message)| !message.is_swiping() && fits(message))
}

fn last_text(call: &Invocation<'_, '_>, fits: impl Fn(&MessageView<'_>) -> bool) -> String {
    last(call, fits).map_or_else(String::new, |(_, message)| message.text.to_owned())
}

fn newest<'e>(call: &Invocation<'_, 'e>) -> Option<MessageView<'e>> {
    let chat = call.environment().chat?;
    chat.message(chat.len().checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::super::super::{ChatView, Engine, Environment, MessageView};

    #[test]
    fn a_message_that_is_being_swiped_has_no_text() {
        let messages = vec![
            MessageView { text: "old", ..MessageView::default() },
            MessageView { text: "older swipe", swipes: Some(2), swipe_id: Some(2), ..MessageView::default() },
        ];
        let chat: &dyn ChatView = &messages;
        let environment = Environment { chat: Some(chat), ..Environment::named("Ilse", "Bram") };
        let text = "{{lastMessage}} {{lastMessageId}} {{lastSwipeId}} {{currentSwipeId}} {{allChatRange}}";
        assert_eq!(Engine::default().expand_simple(text, &environment), "old 0 2 3 0-1");
    }
}
