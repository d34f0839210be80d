/** Shows the server's times in the time zone of the browser. */

const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

function localize(): void {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.getAttribute('datetime') ?? '');
    if (!Number.isNaN(at.valueOf())) time.textContent = FORMAT.format(at);
  }
}

document.addEventListener('studio:changed', localize);
localize();

export {};
