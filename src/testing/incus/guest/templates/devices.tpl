{% for name, device in devices %}{% for key, value in device %} {{ key }}={{ value }} {% endfor %}
{% endfor %}
